import helmet from "helmet"

/**
 * The policy of the console's page, in place of the one that all other answers have: it is made of our own
 * files alone, without a line of inline code, and only what lit-html makes of templates becomes markup.
 */
export const setConsoleHeaders = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["lit-html"],
  },
})
