import type { Settings, Subject } from "../case.ts"
import { runLoad, type Load } from "../load/load.ts"
import { costedLoad } from "./costed-load.ts"
import type { Daemon } from "./serve-site.ts"
import { signingPosts } from "./signing-posts.ts"

/** A load on a daemon, with what it costs gate and vault. */
export function signingLoad(
  { url, tokens, pids }: Daemon,
  ask: { readonly name: string; readonly connections: number; readonly prefix?: "/sign" | "" },
  { load, seconds }: Settings,
): Subject {
  const { name, connections, prefix } = ask
  const posts = signingPosts({ url, tokens }, prefix)
  return {
    name,
    measure: () => costedLoad(() => runLoad(load, { url, posts, connections, seconds }), pids),
  }
}

/** Loads a daemon until V8 has compiled what is hot. */
export function warmUp(
  daemon: Daemon,
  { load, warmUpSeconds }: Settings,
  prefix?: "/sign" | "",
): Promise<Load> {
  const posts = signingPosts(daemon, prefix)
  return runLoad(load, { url: daemon.url, posts, connections: 16, seconds: warmUpSeconds })
}
