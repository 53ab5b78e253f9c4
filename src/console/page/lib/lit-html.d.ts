export * from "lit-html"
