import { writeFile } from 'node:fs/promises'
import { attacks } from '../src/security/attacks.ts'
import { type RowName, rows } from '../src/security/rows.ts'
import { hubRows } from './hub-rows.ts'

export const securityDoc = new URL('../docs/security.md', import.meta.url)

/** The text of docs/security.md, generated from the rows and their attacks. */
export function securityRows(): string {
  const names = Object.keys(rows) as RowName[]
  return [
    '# Security',
    '',
    'Made from `src/security` by `npm run docs`.',
    '',
    'Drydock defends against two adversaries: a **hostile repository** (its files, its configuration, its texts) and a **hostile or confused model** (its calls,',
    'its code, its words). They must not get your keys and files, write outside the workspace, earn a green verdict dishonestly, see the data of another story,',
    'or take over the machine. A run that cannot be sandboxed does not run, and no flag turns the gate off.',
    '',
    '| | attack | what stops it |',
    '| --- | --- | --- |',
    ...names.map((name) => `| [${name}](#${name.replaceAll(' ', '-')}) | ${rows[name].attack} | ${rows[name].stops} |`),
    '',
    '`drydock doctor --security` tries the attacks below on your machine: with your git, your sandbox (`--sandbox podman` chooses another) and the installed',
    'Drydock, against a hostile repository in a temporary folder. It uses no key, model or network and leaves nothing behind. Drydock has held if the observation',
    'equals the expectation word for word. The command ends with 0 if Drydock held against all attacks and with 3 otherwise. `npm test` tries them, too.',
    '',
    '- **Secrets.** Drydock removes keys and tokens from everything that it writes, prints, serves, or sends to a model: by value (keys of models, variables named',
    '  like secrets, the address of the webhook, signing secrets; 16 characters or more with a digit) and by shape (`src/domain/secrets/secret-shapes.ts`, private',
    '  key blocks). `[redacted by drydock]` takes their place, also that of made-up keys in tests; an edit that contains this marker is refused. Not removed: a key',
    "  whose start is cut off, and secrets in the repository's own files, in `build/` of a verification, and in files of more than 64 MiB that steps leave behind.",
    '- **Guides** (`AGENTS.md`, `CLAUDE.md`, rules, skills) are read from the base commit and shown as data, within limits. A hostile guide can waste turns, make a',
    '  change worse, and make an agent run any command that its sandbox allows. It cannot speak as a person, name a key, reach the network, change the gate or accept',
    '  a finding. A change of a guide is a finding.',
    '- **Output of commands** is kept without secrets in a folder that no sandbox sees; `read_file` shows it to its own lane only. Commands in the background',
    "  die with their lane's sandbox, and git looks at a workspace only when that is closed.",
    '- **Your machine.** Compiled code in `~/.cache/drydock` and your own file count only where nobody else can write. As root in the home of somebody else',
    '  (`sudo -E`), Drydock takes the file of that home, which can name programs: start it with a home of its own. Other users see command lines, and nothing of',
    '  the state. A spec or a task is read as it is, with its hidden characters. While steps are traced, strace(1) reads their memory as you, outside of their',
    '  sandbox: remove strace if that is too much.',
    ...foreignAgents(),
    ...mcpServers(),
    ...hubRows(),
    ...names.flatMap((name) => ['', `## ${name}`, '', '| attack | expected |', '| --- | --- |', ...attacksOn(name)]),
    '',
  ].join('\n')
}

const agentSandbox = 'test/adapters/acp/agent-sandbox.test.ts'
const gateway = 'test/adapters/models/gateway'
const agentFailures = 'test/adapters/acp/agent-failures.test.ts'

/**
 * The guarantees for agents that speak the Agent Client Protocol, each with the test that tries it.
 */
const heldByForeignAgents: readonly { readonly holds: string; readonly file: string; readonly title: string }[] = [
  {
    holds:
      'The agent sees its workspace, its home, its own program and what you name, and writes to the first two alone.',
    ...{ file: agentSandbox, title: 'neither reads nor writes a file outside of its workspace and its home' },
  },
  {
    holds: 'A workspace that is shown read-only, as while it plans, stays as it is.',
    ...{ file: agentSandbox, title: 'cannot change a workspace that is read-only' },
  },
  {
    holds:
      'It reaches one port, that of the gateway to its model. There is no network, and no other port of this machine.',
    ...{
      file: agentSandbox,
      title: 'reaches the port of its gateway, and neither the network nor another port of the host',
    },
  },
  {
    holds: 'The key of its model stays outside, also when a provider repeats it.',
    ...{
      file: `${gateway}/gateway-formats.test.ts`,
      title: 'the key does not reach the agent in an answer that repeats it, in whatever pieces it comes',
    },
  },
  {
    holds: 'Its provider runs no tool for it, fetches no address and is asked for no dearer tier.',
    ...{
      file: `${gateway}/gateway-network.test.ts`,
      title: 'through $path nothing reaches other hosts by way of the provider, or costs more than is counted',
    },
  },
  {
    holds: 'Of a request, a name that Drydock does not know is left out, however it is spelled.',
    ...{
      file: `${gateway}/gateway-network.test.ts`,
      title: 'of a request, %s does not reach the provider, and the rest of it does',
    },
  },
  {
    holds: 'All its calls together keep to the budget, however many it makes at once.',
    ...{
      file: `${gateway}/gateway-budget.test.ts`,
      title: 'twenty calls at once over a budget of a few never cost more than it, and those that it has are made',
    },
  },
  {
    holds: 'It has the variables that your file gives it, and none of your environment.',
    ...{ file: agentSandbox, title: 'has no variable of the host but what it is given' },
  },
  {
    holds:
      'It has the files that your file names as its `credentials`, read-only. **It can read them**, and so can each command that it runs.',
    ...{
      file: agentSandbox,
      title: 'sees the credentials that are named, read-only, and no link of its own leads them elsewhere',
    },
  },
  {
    holds: 'When Drydock closes it, nothing that it started is alive.',
    ...{ file: agentSandbox, title: 'leaves nothing alive when it is closed, even if it does not end itself' },
  },
  {
    holds: 'The same is true when Drydock is killed.',
    ...{ file: agentSandbox, title: 'dies with Drydock' },
  },
  {
    holds: 'Docker and podman hold it in the same way.',
    ...{ file: 'test/adapters/acp/agent-container.long.ts', title: 'an agent in a container works as in bubblewrap' },
  },
  {
    holds:
      'Drydock offers it no files and no terminals of this machine. It gets every permission that it asks for, since its sandbox is the bound.',
    ...{ file: agentFailures, title: 'gets every permission, and neither files nor terminals of the host' },
  },
  {
    holds: 'An agent that is silent, dies, floods or does not keep to the protocol is ended, and the reason is told.',
    ...{ file: 'test/acp/failure-suites.ts', title: 'that %s is a failure, after which nothing is alive' },
  },
  {
    holds: 'Its words are shown without control characters, and cut when they are long.',
    ...{ file: agentFailures, title: 'goes on when some library prints, and when an update is of no known kind' },
  },
]

function foreignAgents(): readonly string[] {
  return [
    '',
    '## Foreign agents',
    '',
    'An agent that you have installed, such as `agent:opencode`, is a hostile model with a program of its own. The whole process runs in a sandbox, and nothing is',
    'decided by its words: the result is the diff of its workspace, which passes the same gate and reviews.',
    '',
    '| what holds | the test that tries it |',
    '| --- | --- |',
    ...heldByForeignAgents.map(({ holds, file, title }) => `| ${holds} | `.concat('`', file, ` › ${title}`, '` |')),
    '',
    'Not protected: the login that you name as credentials, and the text that the agent sends to its model. A request may name any model of the provider, and files',
    'of your account there if the agent knows their ids. A cache of an hour or a longer context can cost more than listed. An answer without a cap that the agent',
    'leaves counts as far as it was seen, at least 16,384 tokens; thoughts beyond that are not seen.',
  ]
}

const [once, variations] = ['test/promises/mcp-tools.test.ts', 'test/scenarios/mcp/mcp-servers.long.ts']

/** The guarantees for MCP servers of the user, each with the test that tries it. */
const heldByMcpServers: readonly (readonly [holds: string, file: string, title: string])[] = [
  [
    'No role has a tool of a server unless your own file names the role, and you have approved the server.',
    variations,
    'that the user has not approved, or given to another role',
  ],
  [
    'You approve what agents read, and exactly what was shown.',
    variations,
    'shows what agents would read, without what a terminal obeys or nobody sees',
  ],
  [
    'A server that changes what it says of its tools loses them until you approve it again.',
    variations,
    'that has changed since it was approved, until it is approved again: %s',
  ],
  [
    'A server with a command runs in a sandbox of its own: no workspace, home, state or key, no port of the host, and only the variables and hosts that you name.',
    once,
    'sees neither workspace nor home nor state nor keys, and reaches no port of the host',
  ],
  [
    'With `mount` it sees the workspace of its agent, and cannot write there.',
    variations,
    'sees the workspace of its agent, and cannot write there',
  ],
  [
    'A server with a URL is asked at that origin alone; no redirect is followed.',
    variations,
    'is asked there and nowhere else, with the headers that the user names',
  ],
  [
    'Its answers are labelled as data. They hold no secret that Drydock knows, and nothing that could stand for a person.',
    once,
    'has its answers labelled as data, without keys, and without words that would bind',
  ],
  [
    'One that hangs, dies, floods or breaks the protocol costs its call, and nothing else.',
    once,
    'that dies, floods, hangs or does not keep to the protocol is an answer to the model, and no more',
  ],
  ['After a crash no call is repeated that may have changed something.', variations, '%s; what its tool says decides'],
]

function mcpServers(): readonly string[] {
  return [
    '',
    "## Users' MCP servers",
    '',
    'A server that you name as a source of [tools](mcp-tools.md) is hostile, too: its program, its descriptions and its answers.',
    '',
    '| what holds | the test that tries it |',
    '| --- | --- |',
    ...heldByMcpServers.map(([holds, file, title]) => `| ${holds} | `.concat('`', file, ` › ${title}`, '` |')),
    '',
    'This does not stop a server that you let reach hosts, or that has a URL, from sending away what models give it and what you show it.',
  ]
}

function attacksOn(name: RowName): readonly string[] {
  return attacks.filter(({ row }) => row === name).map(({ name: attack, expected }) => `| ${attack} | ${expected} |`)
}

if (import.meta.main) await writeFile(securityDoc, securityRows())
