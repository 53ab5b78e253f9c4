export type User = { readonly uid: number; readonly gid: number }

type Kind = "uid" | "euid" | "gid" | "egid"
/** A process as POSIX has it: all that says and changes who it is. */
export type Rights = Required<
  Pick<NodeJS.Process, `get${Kind}` | `set${Kind}` | "getgroups" | "setgroups">
>

/**
 * Makes root this user for good: groups, group and user, real, effective and saved.
 *
 * @throws when it isn't, or could become root again.
 */
export function dropRights({ uid, gid }: User, of: Rights = process as Rights): void {
  of.setgroups([])
  of.setgid(gid)
  of.setuid(uid)
  const users = [of.getuid(), of.geteuid()]
  const groups = [of.getgid(), of.getegid(), ...of.getgroups()]
  const isChanged = users.every((each) => each === uid) && groups.every((each) => each === gid)
  const waysBack = [of.setuid, of.seteuid, of.setgid, of.setegid]
  if (isChanged && !waysBack.some(works)) return
  throw new Error("The console's server couldn't give up root's rights, so it serves nothing.")
}

function works(become: (id: number) => void): boolean {
  try {
    become(0)
    return true
  } catch {
    return false
  }
}
