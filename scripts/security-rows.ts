import { writeFile } from 'node:fs/promises'
import { type RowName, rows } from '../src/security/rows.ts'
import { heldByHubs, hubRows } from './hub-rows.ts'
import { listed } from './listed.ts'

export const securityDoc = new URL('../docs/security.md', import.meta.url)

/** A sentence of the page, and the test that tries it. */
export interface SecurityPromise {
  readonly holds: string
  readonly file: string
  readonly title: string
}

/** Each sentence of the page that a test of its own tries. */
export const securityPromises = (): readonly SecurityPromise[] => [
  ...heldByForeignAgents,
  ...[...heldByMcpServers, ...heldByHubs].map(([holds, file, title]) => ({ holds, file, title })),
]

/** The text of docs/security.md, made from the rows. `drydock doctor --security` has the attacks. */
export function securityRows(): string {
  const names = Object.keys(rows) as RowName[]
  return [
    '# Security',
    '',
    'Drydock defends against two adversaries: a **hostile repository** (its files, configuration and texts) and a **hostile or confused model** (its calls, code and',
    'words). They must not get your keys and files, write outside the workspace, earn a green verdict dishonestly, see the data of another story, or take over the',
    'machine. A run that cannot be sandboxed does not run, and no flag turns the gate off.',
    '',
    '`drydock doctor --security` tries all attacks on your machine: with your git, your sandbox (`--sandbox podman` chooses another) and the installed Drydock,',
    'against a hostile repository in a temporary folder. It prints each attack with its expected and its observed result, and uses no key, model or network. It ends',
    'with 0 if the two are equal, word for word, for every attack, else with 3. `npm test` tries them, too. `npm run docs` makes this page from `src/security`.',
    '',
    'The attacks of each row, and what stops them:',
    '',
    ...names.flatMap((name) => listed(`**${name}**: *${rows[name].attack}.* ${rows[name].stops}`)),
    '',
    ...listed(
      "**Secrets.** Drydock removes keys and tokens from everything that it writes, prints, serves, or sends to a model: by value (keys of models, variables named like secrets, the address of the webhook, signing secrets; 16 characters or more with a digit) and by shape. `[redacted by drydock]` takes their place; an edit that contains this marker is refused. Not removed: a key whose start is cut off, and secrets in the repository's own files, in `build/` of a verification, and in files of more than 64 MiB that steps leave behind.",
    ),
    ...listed(
      '**Guides** (`AGENTS.md`, rules, skills) are data. A hostile guide can waste turns, make a change worse, and make an agent run any command that its sandbox allows, and no more.',
    ),
    ...listed(
      '**Your machine.** Your own file and compiled code in `~/.cache/drydock` count only where nobody else can write. As root in the home of somebody else (`sudo -E`) Drydock takes the file of that home, which can name programs. Other users see command lines, and nothing of the state. A spec is read with its hidden characters. While steps are traced, strace(1) reads their memory as you, outside of their sandbox: remove strace if that is too much.',
    ),
    '',
    'A test tries each line of the lists below; `scripts/security-rows.ts` names it.',
    ...foreignAgents(),
    ...mcpServers(),
    ...hubRows(),
    '',
  ].join('\n')
}

const agentSandbox = 'test/adapters/acp/agent-sandbox.test.ts'
const gateway = 'test/adapters/models/gateway'
const agentFailures = 'test/adapters/acp/agent-failures.test.ts'

/**
 * The guarantees for agents that speak the Agent Client Protocol, each with the test that tries it.
 */
const heldByForeignAgents: readonly SecurityPromise[] = [
  {
    holds: 'It sees its workspace, its home, its own program and what you name, and writes to the first two alone.',
    file: agentSandbox,
    title: 'neither reads nor writes a file outside of its workspace and its home',
  },
  {
    holds: 'It cannot change a workspace that is shown read-only, as while it plans.',
    file: agentSandbox,
    title: 'cannot change a workspace that is read-only',
  },
  {
    holds: 'It reaches the gateway to its model, no network, and no other port of this machine.',
    file: agentSandbox,
    title: 'reaches the port of its gateway, and neither the network nor another port of the host',
  },
  {
    holds: 'The key of its model stays outside, also when a provider repeats it.',
    file: `${gateway}/gateway-formats.test.ts`,
    title: 'the key does not reach the agent in an answer that repeats it, in whatever pieces it comes',
  },
  {
    holds: 'Its provider runs no tool for it, fetches no address and is asked for no dearer tier.',
    file: `${gateway}/gateway-network.test.ts`,
    title: 'through $path nothing reaches other hosts by way of the provider, or costs more than is counted',
  },
  {
    holds: 'The gateway leaves unknown names out of a request, however they are spelled.',
    file: `${gateway}/gateway-network.test.ts`,
    title: 'of a request, %s does not reach the provider, and the rest of it does',
  },
  {
    holds: 'All its calls together keep to the budget, however many it makes at once.',
    file: `${gateway}/gateway-budget.test.ts`,
    title: 'twenty calls at once over a budget of a few never cost more than it, and those that it has are made',
  },
  {
    holds: 'It has the variables that your file gives it, and none of your environment.',
    file: agentSandbox,
    title: 'has no variable of the host but what it is given',
  },
  {
    holds:
      'It has the files that your file names as its `credentials`, read-only. **It can read them**, and so can each command that it runs.',
    file: agentSandbox,
    title: 'sees the credentials that are named, read-only, and no link of its own leads them elsewhere',
  },
  {
    holds: 'Nothing that it started is alive after Drydock has closed it.',
    file: agentSandbox,
    title: 'leaves nothing alive when it is closed, even if it does not end itself',
  },
  {
    holds: 'Nothing that it started is alive after Drydock was killed.',
    file: agentSandbox,
    title: 'dies with Drydock',
  },
  {
    holds: 'Docker and podman hold it in the same way.',
    file: 'test/adapters/acp/agent-container.long.ts',
    title: 'an agent in a container works as in bubblewrap',
  },
  {
    holds:
      'Drydock offers it no files and no terminals of this machine. It gets every permission that it asks for, since its sandbox is the bound.',
    file: agentFailures,
    title: 'gets every permission, and neither files nor terminals of the host',
  },
  {
    holds: 'An agent that is silent, dies, floods or does not keep to the protocol is ended, and the reason is told.',
    file: 'test/acp/failure-suites.ts',
    title: 'that %s is a failure, after which nothing is alive',
  },
  {
    holds: 'Its words are shown without control characters, and cut when they are long.',
    file: agentFailures,
    title: 'goes on when some library prints, and when an update is of no known kind',
  },
]

function foreignAgents(): readonly string[] {
  return [
    '',
    '## Foreign agents',
    '',
    'An agent that you have installed, such as `agent:opencode`, is a hostile model with a program of its own. The whole process runs in a sandbox. The result is the',
    'diff of its workspace, which passes the same gate and reviews; its words decide nothing.',
    '',
    ...heldByForeignAgents.flatMap(({ holds }) => listed(holds)),
    '',
    'Not protected: the login that you name as credentials, and the text that the agent sends to its model. A request may name any model of the provider, and files',
    'of your account there. A cache of an hour, a longer context and thoughts after a broken-off answer can cost more than listed.',
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
    'A server that hangs, dies, floods or breaks the protocol costs its call, and nothing else.',
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
    ...heldByMcpServers.flatMap(([holds]) => listed(holds)),
    '',
    'This does not stop a server that you let reach hosts, or that has a URL, from sending away what models give it and what you show it.',
  ]
}

if (import.meta.main) await writeFile(securityDoc, securityRows())
