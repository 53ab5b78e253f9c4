import { guardsOf, type Guard } from "./guard.ts"

/** What keeps others from the console, and the console from more than it may. */
export const consoleGuards: readonly Guard[] = [
  ...guardsOf(
    "commands/console/answers.ts",
    ["unit/commands/console/answer-asks"],
    [
      {
        find: '!isAskName(ask.method)) throw new Error("no such ask")',
        replace: '!isAskName(ask.method)) return { id: ask?.id, name: "look", params: {} }',
        why: "the console's server asks on after it asked for what isn't on the list",
      },
      {
        find: 'if (give === undefined) throw new Error("this console may not ask that")',
        replace: "",
        why: "the server of a console that wasn't started to release goes on after it tried",
      },
      {
        find: "params: asks[name].params.parse(params)",
        replace: "params",
        why: "the console's server freezes by another's name",
      },
      {
        find: "result: asks[name].answer.parse(given)",
        replace: "result: given",
        why: "the console's server is told more than it may know",
      },
      {
        find: "await sleep(pauseMs)",
        replace: "",
        why: "a console's server that was broken into keeps the vault busy",
      },
    ],
  ),
  ...guardsOf(
    "commands/console/read-entries.ts",
    ["unit/commands/console/read-entries"],
    [
      {
        find: "at_ms > nowMs - reachMs || seq > leastSeq",
        replace: "at_ms > -Infinity || seq > 0",
        why: "a console's server that was broken into reads all that was ever decided",
      },
    ],
  ),
  ...guardsOf(
    "commands/console/answers.ts",
    ["unit/commands/console/vault-answers"],
    [
      {
        find: "isAccountWide(operation) && typed !== operation",
        replace: "false",
        why: "what is about the whole account is released by a slip",
      },
    ],
  ),
  ...guardsOf(
    "console/serve/calls.ts",
    ["unit/console/serve/calls"],
    [
      {
        find: "...(mayRelease ? releaseAsks : []).map(",
        replace: "...releaseAsks.map(",
        why: "any console's page may ask for a release",
      },
    ],
  ),
  ...guardsOf(
    "commands/console/start-server.ts",
    ["unit/commands/console/start-server"],
    [
      {
        find: "![0, owner?.uid].includes(user.uid) && ",
        replace: "",
        why: "the console's server is the user who owns the keys",
      },
      {
        find: " && ![0, owner?.gid].includes(user.gid)",
        replace: "",
        why: "the console's server has the group of root",
      },
    ],
  ),
  ...guardsOf(
    "console/serve/drop-rights.ts",
    ["unit/console/serve/drop-rights"],
    [
      {
        find: "isChanged && !waysBack.some(works)",
        replace: "isChanged",
        why: "the console's server can become root again",
      },
      {
        find: "isChanged && ",
        replace: "",
        why: "the console's server keeps root's groups",
      },
    ],
  ),
  ...guardsOf(
    "console/serve/http-server.ts",
    ["unit/console/serve/http-server"],
    [
      {
        find: " || !hosts.has(host)",
        replace: "",
        why: "the console is served under a name that somebody points here",
      },
      {
        find: "isOurOrigin(request, hosts) && ",
        replace: "",
        why: "another origin's page calls the console",
      },
      {
        find: "isPage && headers",
        replace: "headers",
        why: "a link on another site calls the console",
      },
      {
        find: 'method === "POST" ? admitOwnPage(request) : undefined',
        replace: "undefined",
        why: "what is no page of ours calls the console",
      },
    ],
  ),
  ...guardsOf(
    "console/serve/sessions.ts",
    ["unit/console/serve/calls"],
    [
      {
        find: "values.length === 1 && ",
        replace: "",
        why: "another port's cookie is taken for the console's",
      },
    ],
  ),
  ...guardsOf(
    "console/serve/sessions.ts",
    ["unit/console/serve/sessions", "threats/console-without-its-session"],
    [
      {
        find: "digestOf(`${cookie}.${proof}`)",
        replace: "digestOf(cookie)",
        why: "the cookie that browsers hand to every port opens the console",
      },
      {
        find: "nowMs() - session.heardMs >= maxIdleMs",
        replace: "false",
        why: "a session that nobody uses stays open",
      },
      {
        find: "if (isRight) link = undefined",
        replace: "",
        why: "a link to the console works twice",
      },
      {
        find: "nowMs() - link.madeMs >= linkLifeMs",
        replace: "false",
        why: "a link to the console works for good",
      },
    ],
  ),
  ...guardsOf(
    "link/calls/admin-methods.ts",
    ["unit/vault/stops/freeze-methods"],
    [
      {
        find: "/^console\\/[\\w.@-]{1,64}$/",
        replace: "/./",
        why: "a freeze is recorded as a client's that didn't ask for it",
      },
    ],
  ),
]
