import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serveDashboard } from '../../compose.ts'
import { askDashboard, signIn } from '../ask-dashboard.ts'
import type { Attack } from '../attack.ts'
import { call, crewLanes, reply, writeFileTurn } from '../model-turns.ts'
import type { Range } from '../range.ts'
import type { Ran, Target } from '../target.ts'

/** A whole Run in which every model and tool has printed a key. */
interface KeyRun {
  readonly target: Target
  readonly ran: Ran
  readonly recording: string
  /** The input of the user's own hook. */
  readonly notices: string
}

async function tellKey(range: Range): Promise<KeyRun> {
  const { canary } = range
  const noticed = join(await range.newFolder({ notices: '' }), 'notices')
  const target = await range.newTarget({ env: { XDG_CONFIG_HOME: await configWithHook(range, noticed) } })
  const recording = join(target.folder, 'recorded.json')
  const finding = { severity: 'minor', file: 'one.txt', claim: `It says ${canary}.`, evidence: canary }
  const lanes = crewLanes(
    [
      { text: `Your key is ${canary}.`, ...call('run_command', { command: `echo '${canary}'; env` }) },
      { error: { kind: 'overloaded', message: `The key ${canary} is tired`, retryable: true } },
      call('post_message', { content: canary }),
      writeFileTurn('one.txt', 'one\n'),
      call('submit_change', { summary: `Make one\n\n${canary}` }),
    ],
    [reply({ verdict: 'APPROVED', response: canary, findings: [finding] })],
  )
  const ran = await target.run(['run', `Make one, ${canary}`, '--no-wait', '--record', recording], lanes)
  return { target, ran, recording, notices: await readFile(noticed, 'utf8') }
}

/** The configuration of the range, plus a hook that receives every notice. */
async function configWithHook(range: Range, file: string): Promise<string> {
  const folder = join(await range.newFolder(), 'config')
  await cp(range.env.XDG_CONFIG_HOME ?? '', folder, { recursive: true, verbatimSymlinks: true })
  const own = join(folder, 'drydock/config.json')
  const notify = {
    command: ['sh', '-c', `cat >> '${file}'; env >> '${file}'`],
    on: ['escalation', 'assigned', 'paused', 'ended'],
  }
  await writeFile(own, JSON.stringify({ ...JSON.parse(await readFile(own, 'utf8')), notify }))
  return folder
}

interface Sink {
  readonly name: string
  /** Reads the whole sink. */
  readonly read: (told: KeyRun) => Promise<string>
  /** A text that shows that the right sink was read. */
  readonly has: string
}

const sinks: readonly Sink[] = [
  { name: 'the recording', read: async ({ recording }) => readFile(recording, 'utf8'), has: '"lanes"' },
  { name: 'what the command prints', read: async ({ ran }) => ran.output, has: '"status":"DONE"' },
  {
    name: 'the branches, commits and notes of the repository',
    read: ({ target }) => target.git('log', '--all', '--notes=*', '--decorate=full', '--patch', '--format=%D %B %N'),
    has: 'refs/heads/drydock/',
  },
  { name: 'the receipt', read: receipt, has: 'urn:drydock:receipt' },
  { name: 'what a hook of the user is told', read: async ({ notices }) => notices, has: '"type":"ended"' },
  { name: 'the dashboard’s stream of events', read: streamed, has: '"type":"result"' },
]

/** The note's payload is encoded, so it is decoded as well. */
async function receipt({ ran, target }: KeyRun): Promise<string> {
  const note = await target.git('notes', '--ref=drydock', 'show', String(ran.events.at(-1)?.branch))
  return note + Buffer.from((JSON.parse(note) as { readonly payload: string }).payload, 'base64').toString()
}

async function streamed({ target: { drydock } }: KeyRun): Promise<string> {
  const dashboard = await serveDashboard(drydock, { options: {}, port: 0, onError: () => {} })
  try {
    const { port, headers } = await signIn(dashboard)
    return (await askDashboard(port, '/api/events?after=0', { headers, until: '"type":"result"' })).body
  } finally {
    await dashboard.close()
  }
}

const clean = 'it is there, without the key'

const inSink = ({ name, read, has }: Sink): Attack => ({
  row: 'keys',
  name: `everybody in a run says a key: it is looked for in ${name}`,
  expected: clean,
  async run(range) {
    const told = await range.shared(tellKey)
    const all = await read(told)
    if (!all.includes(has)) throw new Error(`${has} is not in it: ${told.ran.output.slice(-500)}`)
    return all.includes(range.canary) ? 'the key is in it' : clean
  },
})

const inState: Attack = {
  row: 'keys',
  name: 'everybody in a run says a key: it is looked for in every file of the state',
  expected: 'in none',
  async run(range) {
    const { target } = await range.shared(tellKey)
    return `in ${(await filesWith(target.drydock.state, range.canary)).join(', ') || 'none'}`
  },
}

/** The files below a folder that contain a text, as relative paths. */
async function filesWith(folder: string, wanted: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path, 'latin1')).includes(wanted)) found.push(path.slice(folder.length + 1))
  }
  return found
}

export const keySinkAttacks: readonly Attack[] = [inState, ...sinks.map(inSink)]
