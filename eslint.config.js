// Lint keeps two promises that types alone can't: no promise is left un-awaited, and lint/import-table.ts holds.
import { defineConfig } from "eslint/config"
import tseslint from "typescript-eslint"

import { imports } from "./lint/imports.ts"

const curve = {
  regex: "^@noble/secp256k1",
  message: "Only vault/keyring/ and the sandbox touch the curve.",
}
const sql = { regex: "^node:sqlite$", message: "Only vault/ledger/ and audit/ have SQL." }
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
const wholeZod = {
  selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
  message: 'Write import * as z from "zod": of a name, the bundle has all that zod can do.',
}
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
        wholeZod,
      ],
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
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
    files: ["src/venue/**/*.ts", "src/vault/policy/**/*.ts", "src/vault/guards/**/*.ts"],
    rules: {
      "no-restricted-properties": ["error", ...clocks],
      "no-restricted-syntax": ["error", bareDate, wholeZod],
      "no-restricted-globals": ["error", "process", "fetch", "setTimeout", "setInterval"],
    },
  },
  {
    files: ["src/commands/**/*.ts"],
    rules: {
      "no-restricted-properties": ["error", ...ofTheProcess],
      "no-console": "error",
    },
  },
  {
    files: ["src/**/*.ts"],
    plugins: { countersign: { rules: { imports } } },
    rules: { "countersign/imports": "error" },
  },
  {
    files: ["src/commands/**/*.ts"],
    rules: { "no-restricted-imports": ["error", "node:process"] },
  },
  // Only vault/keyring/ touches private keys and the curve; only vault/ledger/ and audit/ have SQL.
  {
    files: ["src/**/*.ts"],
    ignores: ["src/audit/**", "src/vault/keyring/**", "src/vault/ledger/**", "src/sandbox/**"],
    ...forbidModules(curve, sql),
  },
  { files: ["src/vault/keyring/**/*.ts", "src/sandbox/**/*.ts"], ...forbidModules(sql) },
  { files: ["src/vault/ledger/**/*.ts", "src/audit/**/*.ts"], ...forbidModules(curve) },
  { files: ["test/support/plain-judge/*.ts"], ...forbidModules(judge) },
)
