import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serveHere } from '../../server/served.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'
import { type Canary, canaries } from './canaries.ts'
import { approve, createCrewFixture, type Lanes, planned, reply, writeFile } from './crew.ts'
import { type CommandResult, call, type Fixture, plan } from './fixture.ts'
import { configureUser, type Hook, startHook } from './hook.ts'
import { connectMcp } from './mcp-client.ts'
import { pathsToRead } from './paths-to-read.ts'
import { plantBench, plantedRecord } from './planted-bench.ts'
import { fill, laneOf } from './wire-crew.ts'

const key = ['key', 'of-the-provider', '5f0c1e77a2'].join('-')
const token = ['any', 'value-that-is-named-a-token', '81d7'].join('-')

/**
 * By shape, and by value: a key that the user's configuration names, and a variable whose name
 * suggests a secret.
 */
export const planted: readonly Canary[] = [
  ...canaries,
  { family: 'a key by value', text: key, needles: [key] },
  { family: 'a variable by value', text: token, needles: [token] },
]

const one = canaries.find(({ family }) => family === 'GitHub ghp')?.text ?? ''
/** An id made of words is short, and has no capitals. */
export const inIds: Canary = { family: 'the beginning of a key, in an id', text: one, needles: [one.slice(4, 16)] }
const lines = planted.map(({ text }) => text).join('\n')
/** The limit of a chat message does not allow more. */
const halves = [planted.slice(0, planted.length / 2), planted.slice(planted.length / 2)].map((half) =>
  half.map(({ text }) => text).join('\n'),
)
const xml = lines.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
const report = `<testsuite><testcase classname="a" name="holds ${one}"><system-out>${xml}</system-out></testcase></testsuite>\n`

/** An agent, a reviewer and the gate that print all canaries wherever they can. */
const lanes: Lanes = {
  'architect/SCOPING': [call('read_file', { path: 'notes.txt' }), reply(lines)],
  'architect/STORY_GENERATION': [
    call('submit_stories', { stories: [{ ...planned({ id: 'alpha' }), title: `Make alpha ${one}`, content: lines }] }),
  ],
  'editor/alpha/PLANNING': [
    { text: lines, ...call('read_file', { path: 'notes.txt' }) },
    call('run_command', { command: `cat notes.txt; echo '${one}'` }),
    call('list_files', { pattern: '**' }),
    call('search_files', { pattern: '.' }),
    ...halves.map((half) => call('post_message', { content: half })),
    plan({ hypothesis: lines, files: ['alpha.txt'] }),
  ],
  'architect/REQUEST/plan/alpha/1': [approve({ response: lines })],
  'editor/alpha/CODING': [
    call('edit_file', { path: 'notes.txt', old: 'last line', new: 'the last line' }),
    writeFile('alpha.txt', 'alpha\n'),
    call('submit_change', { summary: `Add alpha ${one}\n\n${lines}`, hypothesis: lines }),
  ],
  'architect/REQUEST/code/alpha/1': [
    call('read_file', { path: 'notes.txt', coder_id: '${coder_id}' }),
    call('get_diff', { coder_id: '${coder_id}' }),
    approve({ response: lines }),
  ],
}

export interface CanaryWorld {
  readonly fixture: Fixture
  /** Each place that data is written or sent to, with its contents. */
  readonly sinks: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** A whole Run over the wire in which everybody prints every canary, with all its traces. */
export async function makeCanaryWorld(): Promise<CanaryWorld> {
  const fixture = await createCrewFixture({
    files: { 'notes.txt': `${lines}\nlast line\n`, 'AGENTS.md': lines, 'report.xml': report, [`${one}.txt`]: 'x\n' },
    steps: [
      { name: 'test', command: 'cat notes.txt; cp report.xml $ARTIFACT_DIR/logs/junit.xml', junit: 'logs/junit.xml' },
    ],
    config: { architect: { request_soft_limit: 2, request_hard_limit: 3 } },
    env: { WIRE_KEY: key, SOME_TOKEN: token },
  })
  const hook = await startHook()
  const server = await startWireServer(playing(lanes))
  const provider = { kind: 'openai-compatible', baseURL: `${server.origin}/v1`, apiKeyEnv: 'WIRE_KEY' }
  await configureUser(fixture, { providers: { wire: provider }, notify: { webhook: hook.url } })
  const printed = await work(fixture)
  const sinks = await collect(fixture, { server, hook, printed })
  return {
    fixture,
    sinks,
    async close() {
      await server.close()
      await fixture.remove()
    },
  }
}

/** The provider plays the lanes, and fails once with its own error text. */
function playing(script: Lanes) {
  let failed = false
  return (request: Parameters<typeof laneOf>[0]): WireTurn => {
    // The page that starts work asks for the list of models.
    if (request.body?.messages === undefined) return { refusal: { status: 404, body: `no list: ${one}` } }
    const lane = laneOf(request)
    const isFirst = lane === 'editor/alpha/PLANNING' && !failed
    if (isFirst) {
      failed = true
      return { error: { kind: 'overloaded', message: `busy: ${lines}` } } as WireTurn
    }
    const turn = request.body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
    const scripted = script[lane]?.[turn]
    if (scripted === undefined) return { refusal: { status: 400, body: `no turn ${turn} of ${lane}: ${one}` } }
    return fill(scripted, request.body.messages[1].content)
  }
}

const recordingOf = ({ folder }: Fixture) => join(folder, 'recording.json')

async function work(fixture: Fixture): Promise<readonly CommandResult[]> {
  const recorded = ['--record', recordingOf(fixture)]
  const spec = `Make the files ${one}\n\n${lines}`
  const waiting = await fixture.drydock('run', spec, '--model', 'wire:crew', '--json', '--no-wait', ...recorded)
  if (waiting.exitCode !== 6) throw new Error(`${waiting.exitCode}: ${waiting.stdout}\n${waiting.stderr}`)
  const id = String(waiting.events.findLast(({ type }) => type === 'escalation')?.id)
  const said: CommandResult[] = []
  for (const half of halves) {
    said.push(await must(fixture, 'chat', '--post', half))
    said.push(await must(fixture, 'chat', '--story', 'alpha', '--post', half))
  }
  said.push(await must(fixture, 'reply', id, halves.at(-1) ?? ''))
  const done = await fixture.drydock('resume', '--json', '--no-wait', ...recorded)
  if (done.exitCode !== 0) throw new Error(`${done.exitCode}: ${done.stdout}\n${done.stderr}`)
  const asked = [
    ['status'],
    ['report'],
    ['log'],
    ['chat'],
    ['diff'],
    ['status', one],
    ['status', one, '--json'],
    ['--no-such', one],
    ['task', one, '--model', 'wire:crew', '--no-ui', '--file', `${one}.txt`],
  ]
  const shown: CommandResult[] = []
  for (const args of asked) shown.push(await fixture.drydock(...args))
  const verified = done.events.findLast(({ type }) => type === 'verification')?.run_id
  shown.push(await fixture.drydock('log', String(verified)))
  return [waiting, ...said, done, ...shown]
}

async function must(fixture: Fixture, ...args: readonly string[]): Promise<CommandResult> {
  const done = await fixture.drydock(...args)
  if (done.exitCode !== 0) throw new Error(`${args[0]}: ${done.exitCode}: ${done.stdout}\n${done.stderr}`)
  return done
}

interface Came {
  readonly server: WireServer
  readonly hook: Hook
  readonly printed: readonly CommandResult[]
}

async function collect(fixture: Fixture, { server, hook, printed }: Came): Promise<Readonly<Record<string, string>>> {
  const { state } = await fixture.open()
  const written = await filesBelow(state)
  const of = (isMeant: (path: string) => boolean) =>
    written
      .filter(({ path }) => isMeant(path))
      .map(({ path, text }) => `${path}\n${text}`)
      .join('\n')
  const receipts = written.filter(({ path }) => path.startsWith('artifacts/receipts/'))
  return {
    'the database': of((path) => path.startsWith('drydock.db')) + rowsOf(join(state, 'drydock.db')),
    'the artifacts': of((path) => path.startsWith('artifacts/')),
    'the rest of the state': of((path) => !/^(drydock\.db|artifacts\/)/.test(path)),
    'the receipts': receipts.map(({ text }) => signedIn(text)).join('\n'),
    'the recording': await readFile(recordingOf(fixture), 'utf8'),
    'the branches and commits of the repository': await historyOf(fixture, fixture.repo),
    'the notes of the repository': await notesOf(fixture),
    'the hidden refs and commits of the mirror': await historyOf(fixture, join(state, 'mirror.git')),
    ...(await servedTo(fixture)),
    'the answers to an MCP client': await mcpAnswers(fixture),
    'what a webhook is sent': JSON.stringify(hook.posts.map(({ notice }) => notice)),
    'the terminal': printed.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    'what the provider is sent': server.requests.map(({ raw }) => raw).join('\n'),
  }
}

/** Trees of the repository itself, which stay unchanged. */
const trees = /^(mirror\.git|slots|clones|workspaces|checkouts|artifacts\/cache\/layers)\//

async function filesBelow(state: string): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const entries = await readdir(state, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(state.length + 1))
  return Promise.all(
    files
      .filter((path) => !trees.test(path))
      .map(async (path) => ({ path, text: await readFile(join(state, path), 'latin1') })),
  )
}

function rowsOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true })
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all()
  const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${String(name)}"`).all())
  database.close()
  // Searches JSON within JSON both escaped and unescaped.
  return rows
    .flatMap((row) => Object.values(row).flatMap((value) => [String(value), unescaped(String(value))]))
    .join('\n')
}

const unescaped = (text: string) => text.replaceAll(/\\+n/g, '\n').replaceAll(/\\+"/g, '"')

function signedIn(envelope: string): string {
  return Buffer.from(JSON.parse(envelope).payload, 'base64').toString()
}

async function historyOf({ git }: Fixture, repository: string): Promise<string> {
  const refs = await git('-C', repository, 'for-each-ref', '--format=%(refname) %(contents)')
  return `${refs}\n${await git('-C', repository, 'log', '--all', '--format=%an %ae %B')}`
}

async function notesOf({ git }: Fixture): Promise<string> {
  const refs = (await git('for-each-ref', '--format=%(refname)', 'refs/notes')).split('\n').filter(Boolean)
  const notes: string[] = []
  for (const ref of refs) {
    for (const line of (await git('ls-tree', '-r', ref)).split('\n'))
      notes.push(await git('cat-file', 'blob', line.split(/\s/)[2] ?? ''))
  }
  return notes.map(signedIn).join('\n')
}

/** A bench whose attempt has used the same secrets. */
async function benchOf({ env, folder }: Fixture, { state, patch }: { readonly state: string; readonly patch: string }) {
  const key = { task: 'a', arm: 'task', acceptance: null, repeat: 1, play: null } as const
  await plantBench(env, join(folder, 'bench'), {
    plan: { started_at: new Date().toISOString(), attempts: [{ ...key, expected: null }], process: null },
    records: [plantedRecord({ hidden: [{ command: 'npm test', status: 'FAIL', tail: lines }], error: lines })],
    files: {
      'patches/a.task.1.patch': patch + lines,
      'events/a.task.1.jsonl': JSON.stringify({ type: 'tool', said: lines }),
    },
  })
  const [name = ''] = await readdir(join(dirname(state), 'benches'))
  return name.replace(/\.json$/, '')
}

async function servedTo(fixture: Fixture): Promise<Readonly<Record<string, string>>> {
  const served = await serveHere(fixture)
  try {
    const { page } = served
    const { runs } = await page.get<{ runs: { run: string }[] }>('/api/runs')
    const run = runs.at(-1)?.run ?? ''
    const other = runs[0]?.run ?? ''
    const { entries } = await page.get<{ entries: { cursor: string }[] }>(`/api/runs/${run}/timeline`)
    const { verifications } = await page.get<{ verifications: { run_id: string }[] }>(`/api/runs/${run}/verifications`)
    const { sha, diff } = await page.get<{ sha: string; diff: string }>(`/api/runs/${run}/diff`)
    const files = [...diff.matchAll(/^\+\+\+ b\/(\S+)$/gm)].flatMap(([, file]) => file ?? [])
    if (files.length === 0) throw new Error('no file has changed')
    const bench = await benchOf(fixture, { state: served.drydock.state, patch: diff })
    const paths = pathsToRead({ run, other, bench, entries, verifications, sha, files })
    const answers: string[] = []
    for (const path of paths) answers.push(JSON.stringify(await page.get(path)))
    const lost = await page.get(`/api/runs/${one}`).catch((error: Error) => error.message.replace(/^\S+/, ''))
    const records = served.drydock.openRecords()
    const last = await records.lastEvent()
    await records.close()
    const stream = await page.events('/api/events?after=0')
    await stream.until(({ id }) => id === last)
    stream.close()
    return {
      'the answers of the dashboard': [...answers, String(lost)].join('\n'),
      'the event stream': JSON.stringify(stream.events),
    }
  } finally {
    await served.close()
  }
}

async function mcpAnswers(fixture: Fixture): Promise<string> {
  const mcp = await connectMcp(fixture)
  try {
    const answers = [
      await mcp.call('status'),
      await mcp.call('read_file', { path: 'notes.txt' }),
      await mcp.call('list_files', { pattern: '**' }),
      await mcp.call('search_files', { pattern: '.' }),
      await mcp.call('status', { run: one }),
    ]
    return answers.map(({ text }) => text).join('\n')
  } finally {
    await mcp.client.close()
  }
}
