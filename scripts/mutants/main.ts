import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { randomOf } from '../../test/random.ts'
import { type Mutation, mutationsOf, withMutants } from './mutations.ts'

/**
 * `npm run mutants`: draws random mutants of the inner rooms and reports those that the tests in
 * the same process do not notice. `-- --seed 7` draws the same ones again; `-- --only 12` tries one
 * of them; `-- --project real` runs the other tests. Code that only runs in a separate program is
 * not covered by that: `-- --only 12 --file test/promises/task.test.ts` names the tests to run.
 */

interface Mutant extends Mutation {
  readonly id: number
  readonly file: string
}

type End = 'killed' | 'survived' | 'never reached' | 'killed by its time'

const root = join(import.meta.dirname, '../..')
const rooms = 'src/{domain,workflow,agents,gate,app}/**/*.ts'
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    count: { type: 'string', default: '120' },
    only: { type: 'string', multiple: true, default: [] },
    project: { type: 'string', default: 'in-process' },
    file: { type: 'string', multiple: true, default: [] },
    /**
     * Seconds after which a mutant counts as killed, since it runs forever. All tests together take
     * less.
     */
    seconds: { type: 'string', default: '900' },
    json: { type: 'string' },
  },
})

/** Draws each place with the same probability, and no place within another. */
function drawMutants(): readonly Mutant[] {
  const files = globSync(rooms, { cwd: root }).sort()
  const places = files.flatMap((file) =>
    mutationsOf(readFileSync(join(root, file), 'utf8')).map((mutation) => ({ ...mutation, file })),
  )
  const random = randomOf(Number(values.seed))
  const drawn: Mutant[] = []
  while (drawn.length < Number(values.count)) {
    const place = places[Math.floor(random() * places.length)]
    if (place === undefined) throw new Error(`${rooms} has no place for a mutant`)
    const isFree = drawn.every(
      ({ file, start, end }) => file !== place.file || end <= place.start || place.end <= start,
    )
    if (isFree) drawn.push({ ...place, id: drawn.length })
  }
  return drawn
}

/** A copy of the checkout with all mutants built in. */
function plant(mutants: readonly Mutant[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-mutants-'))
  // Some tests read the folder as another user.
  chmodSync(folder, 0o755)
  for (const name of globSync('*', { cwd: root, exclude: ['node_modules', 'coverage'] }))
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, own] of Map.groupBy(mutants, (mutant) => mutant.file)) {
    const path = join(folder, file)
    writeFileSync(path, withMutants(readFileSync(path, 'utf8'), own, join(folder, 'awake')))
  }
  writeFileSync(
    join(folder, 'vitest.mutants.config.ts'),
    `import config from './vitest.config.ts'
const projects = config.test.projects.map((project) => ({ ...project, test: { ...project.test, setupFiles: ['scripts/mutants/record.ts'] } }))
export default { ...config, test: { ...config.test, projects } }
`,
  )
  return folder
}

/** The mutants that the tests of a file reach, in the log of `record.ts`. */
interface MutantReach {
  readonly file: string
  readonly reached: readonly number[]
  readonly loaded: readonly number[]
}

interface TestRun {
  readonly code: number | null
  readonly output: string
}

function runTests(folder: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<TestRun> {
  const { promise, resolve, reject } = Promise.withResolvers<TestRun>()
  const project = values.file.length > 0 ? [] : ['--project', values.project]
  const config = ['--config', 'vitest.mutants.config.ts', ...project, '--reporter', 'dot']
  const child = spawn(join(root, 'node_modules/.bin/vitest'), ['run', ...config, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const bound = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), Number(values.seconds) * 1_000)
  child.on('error', reject)
  child.on('close', (code) => {
    clearTimeout(bound)
    resolve({ code, output })
  })
  return promise
}

async function endOf(folder: string, { id }: Mutant, files: readonly string[]): Promise<End> {
  if (files.length === 0) return 'never reached'
  writeFileSync(join(folder, 'awake'), String(id))
  const { code } = await runTests(folder, { MUTANT: String(id) }, '--bail', '1', '--maxWorkers', '1', ...files)
  if (code === null) return 'killed by its time'
  return code === 0 ? 'survived' : 'killed'
}

function describe({ id, file, start, end, kind, text, isStatement }: Mutant): string {
  const source = readFileSync(join(root, file), 'utf8')
  const line = source.slice(0, start).split('\n').length
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 80)
  return `${id} ${file}:${line} ${kind}: ${short(source.slice(start, end))} -> ${isStatement ? 'nothing' : short(text)}`
}

/** Finds the test files that reach each mutant, by a run without any active mutant. */
async function filesThatReach(folder: string): Promise<(id: number) => readonly string[]> {
  const log = join(folder, 'reached.jsonl')
  const results = join(folder, 'sound.json')
  const sound = await runTests(folder, { MUTANT_LOG: log }, '--reporter', 'json', '--outputFile.json', results)
  if (sound.code === null || !existsSync(results)) throw new Error(`No tests were run:\n${sound.output.slice(-4_000)}`)
  const { testResults }: { readonly testResults: readonly { readonly name: string; readonly status: string }[] } =
    JSON.parse(readFileSync(results, 'utf8'))
  // Tests that read the sources themselves fail, since these contain every mutant.
  const red = new Set(testResults.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])))
  for (const file of red) console.log(`Left out, since it is red without a mutant: ${relative(folder, file)}`)
  const lines = (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
    .map((line): MutantReach => JSON.parse(line))
    .filter(({ file }) => !red.has(file))
  // Any file may notice a mutant in code that runs when modules are loaded, since all files of a
  // worker share it.
  return (id) =>
    lines.some(({ loaded }) => loaded.includes(id))
      ? lines.map(({ file }) => file)
      : lines.flatMap(({ file, reached }) => (reached.includes(id) ? [file] : []))
}

const mutants = drawMutants()
console.log(`Seed ${values.seed}: ${mutants.length} mutants of ${rooms}`)
// One folder for each worker: programs read the number of the active mutant from their folder.
const folders = [plant(mutants), plant(mutants)] as const
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const filesOf = values.file.length > 0 ? () => values.file : await filesThatReach(folders[0])

const ends: (Mutant & { readonly ended: End })[] = []
const left = mutants.filter(({ id }) => values.only.length === 0 || values.only.includes(String(id)))
async function work(folder: string): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const files = filesOf(mutant.id).map((file) => (isAbsolute(file) ? relative(folders[0], file) : file))
    const ended = await endOf(folder, mutant, files)
    ends.push({ ...mutant, ended })
    console.log(`${ended.padEnd(18)} ${describe(mutant)}`)
  }
}
await Promise.all(folders.map(work))

const killed = ends.filter(({ ended }) => ended.startsWith('killed')).length
console.log(
  `${killed} of ${ends.length} mutants killed (${Math.round((100 * killed) / ends.length)} %), seed ${values.seed}`,
)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ seed: values.seed, ends }, null, 2))
