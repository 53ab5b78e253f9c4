// Lint keeps two promises that types alone can't: no promise is left un-awaited, and the import table
// of ARCHITECTURE.md holds.
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"

/** Refuses, in `folder`, every import that matches one of `patterns`. */
function forbidImports(folder, message, ...patterns) {
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: patterns.map((regex) => ({ regex, message })) },
      ],
    },
  }
}

/** Refuses, in a folder of commands, all of the keyring but what handles private files and bytes, and `modules`. */
function forbidInCommands(folder, ...modules) {
  const known = ["read-private-file", "read-secret-file", "with-secret", "write-new-file"]
  const allowed = [...known, ...modules].join("|")
  return forbidImports(
    folder,
    "A command has its Terminal, and of the keyring what ARCHITECTURE.md says.",
    "^node:process$",
    `/vault/keyring/(?!(${allowed})\\.ts$)`,
  )
}

const curve = {
  regex: "^@noble/secp256k1",
  message: "Only vault/keyring/ and the sandbox touch the curve.",
}
const sql = { regex: "^node:sqlite$", message: "Only vault/ledger/ has SQL." }
const judge = {
  regex: "/src/(?!std/result\\.ts$)",
  message: "The plain judge shares no code with what it measures.",
  allowTypeImports: true,
}

/** A second rule of the same kind, since a file has only one setting of each. */
function forbidModules(...patterns) {
  return { rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns }] } }
}

const clocks = [
  { object: "Date", property: "now", message: "Pure folders take the time as a parameter." },
  { object: "performance", property: "now", message: "Pure folders take the time as a parameter." },
  { object: "Math", property: "random", message: "Pure folders have no randomness." },
]
const bareDate = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: "Pure folders take the time as a parameter.",
}

/** What a command has of its Terminal, or returns. */
const ofTheProcess = ["stdin", "stdout", "stderr", "exitCode", "exit"].map((property) => ({
  object: "process",
  property,
  message: "A command reads, prints and asks on its Terminal, and returns its exit code.",
}))

export default defineConfig(
  { ignores: ["dist/", "node_modules/"] },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/consistent-type-definitions": ["error", "type"],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // `void promise` marks a promise that is left alone on purpose.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // An exhaustive switch over a union counts as one branch: it is what we want in place of a default.
      complexity: ["error", { max: 8, variant: "modified" }],
      "max-params": ["error", 3],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Export by name." },
      ],
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 200, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      // node:test's `it` and `describe` return promises that the runner awaits.
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["it", "describe", "test"] },
          ],
        },
      ],
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
  {
    files: ["src/venue/**/*.ts", "src/vault/policy/**/*.ts"],
    rules: {
      "no-restricted-properties": ["error", ...clocks],
      "no-restricted-syntax": ["error", bareDate],
      "no-restricted-globals": ["error", "process", "fetch", "setTimeout", "setInterval"],
    },
  },
  {
    files: ["src/commands/**/*.ts"],
    ignores: ["src/commands/install-service.ts"],
    rules: {
      "no-restricted-properties": ["error", ...ofTheProcess],
      "no-console": "error",
    },
  },
  forbidImports("std", "std/ knows nothing of the product.", "\\.\\./"),
  forbidImports(
    "venue",
    "venue/ is pure: std/ and itself alone.",
    "^node:",
    "^(\\.\\./)+(?!\\.\\./|std/)",
  ),
  forbidImports(
    "link",
    "link/ carries: std/ and venue/'s types alone.",
    "^(\\.\\./)+(?!\\.\\./|std/|venue/)",
  ),
  forbidImports(
    "gate",
    "The gate has no key, no policy, no database.",
    "^(\\.\\./)+(?!\\.\\./|std/|link/|venue/envelope|version\\.ts)",
    "node:sqlite",
  ),
  ...["gate/metrics", "gate/notify"].map((folder) =>
    forbidImports(
      folder,
      "As the gate, whose folder is one step away.",
      "^(\\.\\./){2,}(?!\\.\\./|std/|link/|venue/envelope|version\\.ts)",
      "node:sqlite",
    ),
  ),
  forbidImports(
    "vault",
    "The vault opens no network connection.",
    "\\.\\./(gate|sandbox|commands)/",
    "^node:(http|https|http2|tls|dgram)$",
    "^undici",
    "^express",
  ),
  forbidImports(
    "vault/policy",
    "policy/ is pure: std/ and venue/ alone.",
    "^node:",
    "^(\\.\\./)+(?!\\.\\./|std/|venue/)",
  ),
  forbidImports(
    "console",
    "The console's server has the pipe and what it serves: std/, link/ and itself alone.",
    "^(\\.\\./)+(vault|gate|venue|commands|sandbox|client)/",
    "^(\\.\\./)+version\\.ts$",
    "node:sqlite",
  ),
  forbidImports(
    "console/page",
    "The page runs in a browser: itself, its libraries and the types of asks.ts alone.",
    "^(?!\\.{1,2}/)",
    "^(\\.\\./)+(?!\\.\\./|asks\\.ts$|lib/|[\\w-]+\\.ts$)",
  ),
  // What the libraries are called, for their types.
  { files: ["src/console/page/lib/**/*.ts"], rules: { "no-restricted-imports": "off" } },
  // What touches private keys, by folder, as ARCHITECTURE.md says.
  forbidInCommands("commands", "pick-curve", "load-native-curve", "keychain/preflight"),
  forbidInCommands(
    "commands/init",
    "keystore-files",
    "keystore-v3",
    "keychain/keychain",
    "keychain/key-registry",
    "keychain/with-keychain",
  ),
  forbidInCommands("commands/keys", "curve", "noble-curve", "keystore-v3", "keychain/hex-text"),
  forbidImports("client", "A bot's project has the client alone.", "^(?!\\./)"),
  forbidImports(
    "sandbox",
    "The sandbox checks the daemon, so it shares none of its hashing or rules.",
    "\\.\\./(?!std/)",
  ),
  // Only vault/keyring/ touches private keys and the curve; only vault/ledger/ has SQL.
  {
    files: ["src/**/*.ts"],
    ignores: ["src/vault/keyring/**", "src/vault/ledger/**", "src/sandbox/**"],
    ...forbidModules(curve, sql),
  },
  { files: ["src/vault/keyring/**/*.ts", "src/sandbox/**/*.ts"], ...forbidModules(sql) },
  { files: ["src/vault/ledger/**/*.ts"], ...forbidModules(curve) },
  { files: ["test/support/plain-judge/*.ts"], ...forbidModules(judge) },
)
