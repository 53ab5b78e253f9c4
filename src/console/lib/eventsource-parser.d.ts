export * from "eventsource-parser"
