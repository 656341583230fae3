@testable import ControlTool

/// The completion for bash, made from the table of commands.
nonisolated enum BashCompletion {
  static func script(_ commands: [Command]) -> String {
    let visible = commands.filter { $0.group != .hidden }
    let names = visible.map(\.name).joined(separator: " ")
    return """
      # bash completion for nightlatch(1), made from its table of commands.

      _nightlatch_offer() {
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$@" -- "${COMP_WORDS[COMP_CWORD]}")
      }

      _nightlatch() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' word i
        local -a folders=()
        COMPREPLY=()
        for ((i = 1; i < COMP_CWORD; i++)); do
          word=${COMP_WORDS[i]}
          case $word in
            --user | --system) folders+=("$word") ;;
            --config | --state | --runtime) folders+=("$word" "${COMP_WORDS[++i]}") ;;
            -*) ;;
            *) [[ $command ]] || command=$word ;;
          esac
        done

        case "$command:$prev" in
      \(values(visible))
        esac

        if [[ $cur == -* ]]; then
          _nightlatch_offer -W '\(words(CommandOption.global))'
          case $command in
      \(options(visible))
          esac
          return
        fi

        case $command in
          '') _nightlatch_offer -W '\(names)' ;;
      \(operands(visible))
        esac
      }

      complete -F _nightlatch nightlatch

      """.replacing("@COMMANDS@", with: names)
  }

  private static func words(_ options: [CommandOption]) -> String {
    options.flatMap { ($0.letter.map { ["-\($0)"] } ?? []) + ["--" + $0.name] }.joined(separator: " ")
  }

  /// What may follow an option that takes a value.
  private static func values(_ commands: [Command]) -> String {
    let global = CommandOption.global.map { ("*", $0) }
    let own = commands.flatMap { command in command.options.map { (command.name, $0) } }
    return (global + own).filter { $0.1.value != nil }.map { command, option in
      let short = option.letter.map { "\(command):-\($0) | " } ?? ""
      let offer = offer(option.completion).map { $0 + "; return" } ?? "return"
      return "    \(short)\(command):--\(option.name)) \(offer) ;;"
    }.joined(separator: "\n")
  }

  private static func options(_ commands: [Command]) -> String {
    let offers = commands.filter { !$0.options.isEmpty }.map {
      (name: $0.name, offer: "_nightlatch_offer -W '\(words($0.options))'")
    }
    return cases(offers, indent: "      ")
  }

  private static func operands(_ commands: [Command]) -> String {
    let offers = commands.compactMap { command in
      command.operands.first.flatMap { offer($0.completion) }.map { (name: command.name, offer: $0) }
    }
    return cases(offers, indent: "    ")
  }

  /// One line for all the commands that are offered the same.
  private static func cases(_ offers: [(name: String, offer: String)], indent: String) -> String {
    var seen: [String] = []
    for (_, offer) in offers where !seen.contains(offer) { seen.append(offer) }
    return seen.map { offer in
      let names = offers.filter { $0.offer == offer }.map(\.name).joined(separator: " | ")
      return "\(indent)\(names)) \(offer) ;;"
    }.joined(separator: "\n")
  }

  private static func offer(_ completion: Completion) -> String? {
    switch completion {
    case .nothing: nil
    case .jobs: #"_nightlatch_offer -W "$(nightlatch "${folders[@]}" names jobs 2>/dev/null)""#
    case .providers: #"_nightlatch_offer -W "$(nightlatch "${folders[@]}" names providers 2>/dev/null)""#
    case .files: "_nightlatch_offer -f"
    case .folders: "_nightlatch_offer -d"
    case .commands: "_nightlatch_offer -W '@COMMANDS@'"
    case .words(let words): "_nightlatch_offer -W '\(words.joined(separator: " "))'"
    }
  }
}
