/** Names a proxy in every variable that programs look at, and no exception from it. */
export function namingProxy(proxy: string): Readonly<Record<string, string>> {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
  const none = { NODE_USE_ENV_PROXY: "1", NO_PROXY: "", no_proxy: "" }
  return { ...none, ...Object.fromEntries(names.map((name) => [name, proxy])) }
}
