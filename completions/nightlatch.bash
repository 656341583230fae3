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
    *:--config) _nightlatch_offer -d; return ;;
    *:--state) _nightlatch_offer -d; return ;;
    *:--runtime) _nightlatch_offer -d; return ;;
    queue:--provider) _nightlatch_offer -W "$(nightlatch "${folders[@]}" names providers 2>/dev/null)"; return ;;
    queue:-n | queue:--limit) return ;;
    runs:--verdict) _nightlatch_offer -W 'waiting queued deferred starting running retrying succeeded failed timed-out interrupted skipped coalesced expired cancelled quarantined'; return ;;
    runs:-n | runs:--limit) return ;;
    logs:-n | logs:--lines) return ;;
    token:--min-valid) return ;;
    token:--timeout) return ;;
    calendar:--timezone) return ;;
    calendar:--base-time) return ;;
    calendar:--iterations) return ;;
    calendar:--dst) _nightlatch_offer -W 'adjust systemd'; return ;;
  esac

  if [[ $cur == -* ]]; then
    _nightlatch_offer -W '--user --system --config --state --runtime -h --help --version'
    case $command in
      status | list | why | cancel | reload) _nightlatch_offer -W '--json' ;;
      queue) _nightlatch_offer -W '--provider -n --limit --json' ;;
      runs) _nightlatch_offer -W '--verdict -n --limit --json' ;;
      logs) _nightlatch_offer -W '-f --follow -n --lines' ;;
      run | foreground) _nightlatch_offer -W '-w --wait --json' ;;
      auth) _nightlatch_offer -W '-q --quiet --json' ;;
      login) _nightlatch_offer -W '--device --browser --import' ;;
      token) _nightlatch_offer -W '--min-valid -w --wait --timeout --json' ;;
      check) _nightlatch_offer -W '--files-only --strict --json' ;;
      calendar) _nightlatch_offer -W '--cron --every --timezone --base-time --iterations --dst --json' ;;
    esac
    return
  fi

  case $command in
    '') _nightlatch_offer -W 'status list queue runs why logs run cancel pause resume auth login logout refresh foreground token network-restored check doctor calendar reload help' ;;
    list | queue | runs | why | logs | run | cancel | pause | resume) _nightlatch_offer -W "$(nightlatch "${folders[@]}" names jobs 2>/dev/null)" ;;
    auth | login | logout | refresh | foreground | token | doctor) _nightlatch_offer -W "$(nightlatch "${folders[@]}" names providers 2>/dev/null)" ;;
    check) _nightlatch_offer -f ;;
    help) _nightlatch_offer -W 'status list queue runs why logs run cancel pause resume auth login logout refresh foreground token network-restored check doctor calendar reload help' ;;
  esac
}

complete -F _nightlatch nightlatch
