import ControlTool
import Glibc

var tool = Tool(.current())
let status = tool.run(Array(CommandLine.arguments.dropFirst()))
exit(status)
