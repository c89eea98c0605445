import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { agentSpec } from '../../workflow/lane/sandboxes.ts'
import type { Attack, NotApplicable } from '../attack.ts'
import { places, runInside, tryInside } from '../inside.ts'
import { call, submitPlan } from '../model-turns.ts'
import type { Range } from '../range.ts'
import { verifyTarget } from '../verify-target.ts'

type Limit = 'memoryBytes' | 'fileBytes' | 'openFiles' | 'tmpfsBytes' | 'processes'

/** Skips a limit that this machine cannot enforce, which `doctor` reports. */
async function unlessUnbounded(
  range: Range,
  limit: Limit,
  attack: () => Promise<string>,
): Promise<string | NotApplicable> {
  const probe = await range.sandbox.probe()
  if (!probe.ok) throw new Error(probe.error.errorMessage)
  if (probe.enforced[limit] === 'not') return { notApplicable: `${range.sandbox.name} cannot bound it for this user` }
  return attack()
}

interface RunawayCase {
  readonly name: string
  readonly limit: Limit
  readonly script: string
}

const bounded = ({ name, limit, script }: RunawayCase): Attack => ({
  row: 'runaway',
  name: `an agent ${name}`,
  expected: 'nothing',
  run: (range) => unlessUnbounded(range, limit, () => tryInside(range, script, { place: 'an agent' })),
})

const fill = `
  const fills = (path, bytes) => {
    const fd = fs.openSync(path, 'w')
    const block = Buffer.alloc(1048576)
    for (let n = 0; n < bytes; n += block.length) fs.writeSync(fd, block)
  }
`

/** A number of seconds that no other process sleeps. */
const marker = () => `86${Math.floor(Math.random() * 1e9)}`

async function sleepersOf(seconds: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')))
  return lines.filter((line) => line.startsWith('sleep') && line.includes(seconds)).length
}

interface Leaving {
  readonly name: string
  readonly expected: string
  readonly command: (seconds: string) => string
  readonly timeoutMs?: number
}

const leaving = ({ name, expected, command, timeoutMs = 20_000 }: Leaving): readonly Attack[] =>
  places.map((place) => ({
    row: 'runaway',
    name: `${place} ${name}`,
    expected: `${expected}; 0 processes are left`,
    async run(range) {
      const seconds = marker()
      const observed = await runInside(range, command(seconds), { place, timeoutMs })
      return `${observed}; ${await sleepersOf(seconds)} processes are left`
    },
  }))

const killed = 'it was killed when its time was over'

const forkBomb: Attack = {
  row: 'runaway',
  name: 'a step is a fork bomb',
  expected: `${killed}; 0 processes are left`,
  run: (range) =>
    unlessUnbounded(range, 'processes', async () => {
      const seconds = marker()
      // As many processes as the limit allows, which then sleep, so that the rest of the machine
      // keeps working.
      const bomb = `bomb() { sleep ${seconds} & bomb & bomb & wait; }; bomb 2>/dev/null`
      const observed = await runInside(range, bomb, { timeoutMs: 2_000 })
      return `${observed}; ${await sleepersOf(seconds)} processes are left`
    }),
}

const flood: Attack = {
  row: 'runaway',
  name: 'a step prints 80 MB',
  expected: 'PASS; its log is cut',
  async run(range) {
    const target = await range.newTarget({ step: 'head -c 80000000 /dev/zero' })
    const { status, run_id: id } = await verifyTarget(target)
    const { size } = await stat(join(target.drydock.artifacts, 'runs', id, 'logs/combined.log'))
    return `${status}; its log is ${size < limits.logBytes + 1_000 ? 'cut' : `${size} bytes`}`
  },
}

const agentFlood: Attack = {
  row: 'runaway',
  name: 'an agent’s command prints 80 MB',
  expected: 'it ended; its output is cut',
  async run({ sandbox, signal, newFolder }) {
    const spec = agentSpec({ folder: await newFolder(), access: 'write', readOnlyPaths: [] })
    const opened = await sandbox.open(spec, signal)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    const command = 'head -c 80000000 /dev/zero'
    const request = { op: 'run', command, timeoutMs: 30_000, maxBytes: 1_000 } as const
    const reply = await opened.value.request(request, signal).finally(() => opened.value.close())
    if (!reply.ok) return reply.message
    const { exitCode, truncated, output } = reply.value
    return `it ${exitCode === 0 ? 'ended' : 'was ended'}; its output is ${truncated && output.length < 2_000 ? 'cut' : 'whole'}`
  },
}

const sameCall: Attack = {
  row: 'runaway',
  name: 'a model makes the same call again and again',
  expected: `STUCK after ${limits.identicalCallsStop} calls`,
  async run(range) {
    const target = await range.newTarget()
    const again = Array.from({ length: 10 }, () => call('list_files', { pattern: '*' }))
    const lanes = { 'editor/task/PLANNING': [submitPlan], 'editor/task/CODING': again }
    const { events } = await target.run(['task', 'Never end'], lanes)
    const calls = events.filter(({ type, tool }) => type === 'tool' && tool === 'list_files')
    return `${events.at(-1)?.status} after ${calls.length} calls`
  },
}

export const runawayAttacks: readonly Attack[] = [
  bounded({
    name: 'fills a temporary folder',
    limit: 'tmpfsBytes',
    script: `${fill} for (const path of ['/tmp', '/dev/shm', '/run', environment.HOME])
      await attempt('filled ' + path, () => { fills(path + '/large', 6 * 1048576); return true })`,
  }),
  bounded({
    name: 'writes a file without end',
    limit: 'fileBytes',
    script: `${fill} process.on('SIGXFSZ', () => {}); await attempt('wrote it', () => { fills('/repo/large', 20 * 1048576); return true })`,
  }),
  bounded({
    name: 'opens files without end',
    limit: 'openFiles',
    script: `await attempt('opened 2,000', () => { for (let n = 0; n < 2000; n += 1) fs.openSync('/dev/null', 'r'); return true })`,
  }),
  bounded({
    name: 'takes memory without end',
    limit: 'memoryBytes',
    script: `const taken = spawnSync(process.execPath, ['-e', 'const all = []; for (let n = 0; n < 30; n += 1) all.push(Buffer.alloc(67108864, 1))'])
      await attempt('took 1.9 GB', () => taken.status === 0)`,
  }),
  ...leaving({
    name: 'leaves processes that have sessions of their own',
    expected: 'left',
    command: (seconds) =>
      `sleep ${seconds} & setsid sleep ${seconds} & (setsid sh -c "(sleep ${seconds} &) &" &); sleep 0.1; echo left`,
  }),
  ...leaving({
    name: 'ignores every signal and never ends',
    expected: killed,
    command: (seconds) => `trap '' TERM HUP INT QUIT; setsid sleep ${seconds} & while :; do sleep ${seconds}; done`,
    timeoutMs: 2_000,
  }),
  forkBomb,
  flood,
  agentFlood,
  sameCall,
]
