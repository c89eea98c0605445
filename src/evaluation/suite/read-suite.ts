import { createHash } from 'node:crypto'
import { readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { parseRepositoryConfig, repositoryConfigPath } from '../../config/load.ts'
import { keyPath, parseConfig } from '../../config/parse-config.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { gitIn } from '../git.ts'
import { applyChange } from './apply-change.ts'
import { type BaseTree, openBaseTree } from './base-tree.ts'
import type { Change, HiddenCheck, LaidFile, Solution, Source, Suite, Task, WrongSolution } from './suite.ts'
import { type SolutionEntry, suiteSchema, type TaskEntry } from './suite-schema.ts'

const todo = 'Correct the suite. docs/evaluation.md describes every field.'

type Place = readonly (string | number)[]

/** The problems found while reading a suite, which are reported together. */
interface Reading {
  readonly folder: string
  /** The `PATH` in which git is found. */
  readonly path: string | undefined
  readonly problems: string[]
  readonly digest: ReturnType<typeof createHash>
}

/**
 * Reads a suite and checks everything that can be checked without running it. Throws DrydockError
 * `bad_suite` names each problem with its place.
 */
export async function readSuite(folder: string, path: string | undefined): Promise<Suite> {
  const at = await realpath(folder).catch(() => null)
  const file = join(folder, 'suite.json')
  const text = at === null ? null : await readText(file)
  if (at === null || text === null)
    throw new DrydockError('bad_suite', `${file} does not exist.`, { todo: 'Name the folder that holds a suite.json.' })
  const parsed = parseConfig(suiteSchema, { text, file, problem: { code: 'bad_suite', todo } })
  const reading: Reading = { folder: at, path, problems: [], digest: createHash('sha256').update(text) }
  const tasks: Task[] = []
  for (const [n, entry] of parsed.tasks.entries()) tasks.push(await readTask(reading, ['tasks', n], entry))
  if (reading.problems.length > 0)
    throw new DrydockError('bad_suite', reading.problems.map((line) => `${file}: ${line}`).join('\n'), { todo })
  return { name: parsed.name ?? basename(at), folder: at, digest: reading.digest.digest('hex'), tasks }
}

async function readTask(reading: Reading, place: Place, entry: TaskEntry): Promise<Task> {
  const source = await readSource(reading, place, entry)
  const base = isBroken(reading, place) ? null : await openBase(reading, place, source)
  try {
    return await readParts({ ...reading, base }, place, entry, source)
  } finally {
    if (base !== null) await rm(base.folder, { recursive: true, force: true })
  }
}

async function openBase(reading: Reading, place: Place, source: Source): Promise<BaseTree | null> {
  return openBaseTree(source, reading.path).catch((error: Error) => {
    const said = /^(?:fatal|error): .*/m.exec(error.message)?.[0] ?? error.message
    report(reading, [...place, 'repo'], `cannot be read: ${said}`)
    return null
  })
}

interface ReadingTask extends Reading {
  /** Null if the repository of the task cannot be read. */
  readonly base: BaseTree | null
}

async function readParts(reading: ReadingTask, place: Place, entry: TaskEntry, source: Source): Promise<Task> {
  if (reading.base !== null) reading.digest.update(reading.base.tree)
  await fileOf(reading, [...place, 'spec'], entry.spec)
  const config = await readTaskConfig(reading, place, entry)
  const hidden: HiddenCheck[] = []
  for (const [n, check] of entry.hidden.entries()) {
    const at = [...place, 'hidden', n]
    const change = await readChange(reading, at, check)
    hidden.push({ change, command: check.command, timeoutSec: check.timeout_sec ?? entry.timeout_sec })
    await checkApplies(reading, at, change)
    checkHidden(reading, at, source, check)
  }
  const gold = entry.gold === undefined ? null : await readSolution(reading, [...place, 'gold'], entry.gold)
  const wrong: Record<string, WrongSolution> = {}
  for (const [name, { expect, ...solution }] of Object.entries(entry.wrong)) {
    wrong[name] = { ...(await readSolution(reading, [...place, 'wrong', name], solution)), expect }
  }
  return {
    id: entry.id,
    source,
    spec: join(reading.folder, entry.spec),
    mode: entry.mode,
    config,
    hidden,
    timeoutSec: entry.timeout_sec,
    answer: entry.answer ?? null,
    gold,
    wrong,
  }
}

async function readSource(reading: Reading, place: Place, { repo, base }: TaskEntry): Promise<Source> {
  const path = resolve(reading.folder, repo)
  const problem = (key: string, text: string) => {
    report(reading, [...place, key], text)
    return { kind: 'folder', path } as const
  }
  const found = await stat(path).catch(() => null)
  if (!found?.isDirectory()) return problem('repo', `there is no folder ${path}`)
  const git = gitIn(path, reading.path)
  const isGit = (await readText(join(path, '.git', 'HEAD'))) ?? (await readText(join(path, 'HEAD')))
  if (isGit === null) {
    if (!path.startsWith(`${reading.folder}/`))
      return problem('repo', `${path} is no git repository; plain files must lie in a folder of the suite`)
    if (base !== undefined) return problem('base', `${path} is a plain folder without commits: leave "base" out`)
    return { kind: 'folder', path }
  }
  if (base === undefined) return problem('base', 'is missing: a git repository needs the commit to start from')
  const commit = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`]).catch(
    () => null,
  )
  if (commit === null) return problem('base', `${path} has no commit ${base}`)
  return { kind: 'git', path, commit }
}

/** The configuration of the task; null if the base contains its own. */
async function readTaskConfig(reading: ReadingTask, place: Place, { config }: TaskEntry): Promise<string | null> {
  const at = [...place, 'config']
  if (config === undefined) {
    if (reading.base === null) return null
    const { git, tree } = reading.base
    const own = await git(['cat-file', '-t', `${tree}:${repositoryConfigPath}`]).catch(() => null)
    if (own === null) report(reading, at, `is missing, and the base has no ${repositoryConfigPath}`)
    return null
  }
  const text = await fileOf(reading, at, config)
  if (text === null) return null
  try {
    const { verification } = parseRepositoryConfig(text, config)
    if (verification.steps.length === 0) report(reading, at, `${config} names no verification step`)
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    for (const line of error.message.split('\n')) report(reading, at, line)
  }
  return text
}

async function readSolution(reading: ReadingTask, place: Place, entry: SolutionEntry): Promise<Solution> {
  const { returns = 0 } = entry
  if (entry.stories === undefined) {
    const change = await readChange(reading, place, entry)
    await checkApplies(reading, place, change)
    return { stories: [{ id: 'change', change, dependsOn: [], afterReturn: null }], returns }
  }
  const ids = entry.stories.map(({ id }) => id)
  const stories = []
  for (const [n, story] of entry.stories.entries()) {
    const at = [...place, 'stories', n]
    if (ids.indexOf(story.id) !== n) report(reading, [...at, 'id'], `"${story.id}" is already the id of another story`)
    for (const other of story.depends_on)
      if (!ids.slice(0, n).includes(other))
        report(reading, [...at, 'depends_on'], `no story before it has the id "${other}"`)
    const change = await readChange(reading, at, story)
    if (story.depends_on.length === 0) await checkApplies(reading, at, change)
    const afterReturn =
      story.after_return === undefined ? null : await readFiles(reading, [...at, 'after_return'], story.after_return)
    stories.push({ id: story.id, change, dependsOn: story.depends_on, afterReturn })
  }
  return { stories, returns }
}

async function readChange(
  reading: Reading,
  place: Place,
  { patch, files }: { readonly patch?: string; readonly files?: Readonly<Record<string, string>> },
): Promise<Change> {
  if (patch === undefined) return { kind: 'files', files: await readFiles(reading, [...place, 'files'], files ?? {}) }
  const text = await fileOf(reading, [...place, 'patch'], patch)
  return text === null ? { kind: 'files', files: [] } : { kind: 'patch', text }
}

async function readFiles(
  reading: Reading,
  place: Place,
  files: Readonly<Record<string, string>>,
): Promise<readonly LaidFile[]> {
  const laid: LaidFile[] = []
  for (const [at, from] of Object.entries(files)) {
    await fileOf(reading, [...place, at], from)
    laid.push({ at, from: join(reading.folder, from) })
  }
  return laid
}

async function checkApplies(reading: ReadingTask, place: Place, change: Change): Promise<void> {
  if (change.kind !== 'patch' || reading.base === null) return
  const { git, tree } = reading.base
  const problem = await applyChange(git, { tree, base: tree, change }).then(
    () => null,
    (error: Error) => error.message,
  )
  if (problem !== null)
    report(
      reading,
      [...place, 'patch'],
      `does not apply to the base: ${problem.replace(/^git apply ended with \d+: /, '').split('\n')[0]}`,
    )
}

/** Hidden tests inside the start folder would be copied with it. */
function checkHidden(
  reading: Reading,
  place: Place,
  { kind, path }: Source,
  { patch, files = {} }: { readonly patch?: string; readonly files?: Readonly<Record<string, string>> },
): void {
  const named = [...(patch === undefined ? [] : [patch]), ...Object.values(files)]
  const seen = named.find((name) => kind === 'folder' && join(reading.folder, name).startsWith(`${path}/`))
  if (seen !== undefined) report(reading, place, `${seen} lies in the repository of the task, where agents see it`)
}

/** True if the repository of a task cannot be read. */
function isBroken({ problems }: Reading, task: Place): boolean {
  return problems.some((line) => ['repo', 'base'].some((key) => line.startsWith(`${keyPath([...task, key])}: `)))
}

/** The text of a file of the suite; null, with a reported problem, if it cannot be read. */
async function fileOf(reading: Reading, place: Place, path: string): Promise<string | null> {
  const file = join(reading.folder, path)
  const real = await realpath(file).catch(() => null)
  if (real !== null && !real.startsWith(`${reading.folder}/`)) {
    report(reading, place, `${path} leads out of the suite`)
    return null
  }
  const found = real === null ? null : await stat(real)
  if (!found?.isFile()) {
    report(reading, place, `there is no file ${path} in the suite`)
    return null
  }
  if (found.size > limits.evaluation.suiteBytes) {
    report(reading, place, `${path} is larger than ${limits.evaluation.suiteBytes} bytes`)
    return null
  }
  const bytes = await readFile(file)
  reading.digest.update(path).update(bytes)
  return bytes.toString('utf8')
}

function report({ problems }: Reading, place: Place, problem: string): void {
  problems.push(`${keyPath(place)}: ${problem}`)
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}
