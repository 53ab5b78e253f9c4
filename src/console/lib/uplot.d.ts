export { default } from "uplot"
