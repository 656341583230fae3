extension CalendarFields {
  /// The fields of a name such as `daily`, in any case; nil for anything else.
  static func shorthand(_ bytes: [UInt8]) -> CalendarFields? {
    let name = String(decoding: bytes.map(lowercase), as: UTF8.self)
    let zero = [CalendarComponent(start: 0)]
    let one = [CalendarComponent(start: 1)]
    var fields = CalendarFields()
    if name == "minutely" { return fields }
    fields.minutes = zero
    if name == "hourly" { return fields }
    fields.hours = zero
    switch name {
    case "daily": return fields
    case "weekly":
      fields.weekdays = 1
      return fields
    case "monthly": break
    case "quarterly": fields.months = [1, 4, 7, 10].map { CalendarComponent(start: $0) }
    case "semiannually", "semi-annually", "biannually", "bi-annually":
      fields.months = [1, 7].map { CalendarComponent(start: $0) }
    // systemd has always understood the misspelt one, too.
    case "yearly", "annually", "anually": fields.months = one
    default: return nil
    }
    fields.days = one
    return fields
  }
}
