/// English names of the days of the week, from Monday.
enum WeekdayName {
  static let long = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  static let short = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
}
