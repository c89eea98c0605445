import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { countAssertions, countSkips } from '../domain/assertions.ts'
import { changedLines } from '../domain/changed-lines.ts'
import { compareTests } from '../domain/compare-tests.ts'
import { filesRunBy } from '../domain/files-run-by.ts'
import { type GateFinding, listed, type Suspicion } from '../domain/gate-finding.ts'
import { filesNamedIn, guardedBy, isPackageManifest } from '../domain/guarded-file.ts'
import { limits } from '../domain/limits.ts'
import { manifestChanges } from '../domain/package-manifest.ts'
import { isTestFile } from '../domain/plan.ts'
import type { RunConfig } from '../domain/run-config.ts'
import { capText } from '../domain/text.ts'
import type { ChangedFile, Workspaces } from '../ports/workspace.ts'
import type { TreeTests } from './tests-of-tree.ts'

type Deps = { readonly workspaces: Workspaces }

export interface Compared {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly config: RunConfig
  readonly files: readonly ChangedFile[]
}

/** What a change has done to the gate itself: tests that no longer count as they did, and files that decide what green means. */
export async function findWeakening(
  deps: Deps,
  compared: Compared,
  signal: AbortSignal,
): Promise<readonly GateFinding[]> {
  const { base, change } = compared
  const steps = Object.entries(base.tests)
  const tests = compareTests(
    steps.map(([step, report]) => ({ step, base: report, change: change.tests[step] ?? null })),
  )
  const isCounted = steps.some(([, report]) => report?.complete)
  const isAllCounted = isCounted && steps.every(([, report]) => report?.complete)
  const inputs = compared.config.prepare.flatMap((step) => step.inputs)
  const { looked, rest } = toLookAt(compared, inputs)
  const files: Suspicion[] = rest.length === 0 ? [] : [tooMany(rest)]
  for (const file of looked) {
    signal.throwIfAborted()
    if (isTestFile(file.path) || isTestFile(file.from ?? ''))
      files.push(...(await inTestFile(deps, { ...compared, file, isCounted, isAllCounted }, signal)))
    files.push(...(await inConfiguration(deps, { ...compared, file }, signal)))
  }
  if (isCounted) files.push(...(await inRemovedFiles(deps, { ...compared, files: looked }, signal)))
  return capped(bounded([...tests, ...files])).map(withId)
}

interface ToLookAt {
  readonly looked: readonly ChangedFile[]
  /** Test and configuration files beyond the number that is looked at one by one. */
  readonly rest: readonly ChangedFile[]
}

/** Of a change of any size, the files that matter most, as many as can be read in reasonable time. */
function toLookAt({ files }: Compared, inputs: readonly string[]): ToLookAt {
  const matters = ({ path, from = path }: ChangedFile) =>
    [path, from].some((each) => isTestFile(each) || isPackageManifest(each) || guardedBy(each, inputs) !== null)
  const first = files.filter(matters)
  const chosen = new Set([...first, ...files.filter((file) => !matters(file))].slice(0, limits.gate.files))
  return { looked: files.filter((file) => chosen.has(file)), rest: first.slice(limits.gate.files) }
}

function tooMany(rest: readonly ChangedFile[]): Suspicion {
  const said = rest.map(({ path, status }) => `${path} (${status})`)
  const claim = `${rest.length} more test and configuration files are changed than are looked at one by one.`
  return { kind: 'configuration', file: '', claim, evidence: listed(said), identity: said }
}

interface OneFile extends Compared {
  readonly file: ChangedFile
}

interface OneTestFile extends OneFile {
  /** A runner names all tests of a step. */
  readonly isCounted: boolean
  /** Of each step: then no test can be skipped without being told. */
  readonly isAllCounted: boolean
}

/** What the text of a test file shows. Removed and skipped tests only where a runner may not have told them. */
async function inTestFile(
  deps: Deps,
  { base, change, file, isCounted, isAllCounted }: OneTestFile,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { path, status, from = path } = file
  if (status === 'added') return []
  const before = await textAt(deps, { sha: base.commit, path: from }, signal)
  if (before === null) {
    if (!(await isTooLarge(deps, { sha: base.commit, path: from }, signal))) return []
    const claim = `${path} is ${status}, and was too large for its assertions to be counted.`
    const text = await diffOf(deps, { base, change, file })
    const identity = [path, from, ...changedLines(text).toSorted()]
    return [{ kind: 'fewer_assertions', file: path, claim, evidence: capText(text, limits.gate.diffChars), identity }]
  }
  if (status === 'deleted') {
    const claim = `The test file ${path} is removed.`
    const was = countAssertions(before, from)
    if (isCounted || was === 0) return []
    return [{ kind: 'tests_removed', file: path, claim, evidence: `It had ${was} assertions.`, identity: [path] }]
  }
  const after = (await textAt(deps, { sha: change.commit, path }, signal)) ?? ''
  const [was, is] = [countAssertions(before, from), countAssertions(after, path)]
  const [ran, runs] = [countSkips(before, from), countSkips(after, path)]
  const isLess = is < was
  const isSkipped = !isAllCounted && runs > ran
  if (!isLess && !isSkipped) return []
  const found: Suspicion[] = []
  const lines = changedLines(await diffOf(deps, { base, change, file }))
  if (isLess) {
    const claim = `${path} has ${is} ${is === 1 ? 'assertion' : 'assertions'} instead of ${was}.`
    const lost = lines.filter((line) => countAssertions(line.slice(1), path) > 0)
    const identity = [path, `${is - was}`, ...lost.toSorted()]
    found.push({ kind: 'fewer_assertions', file: path, claim, evidence: listed(lost), identity })
  }
  if (isSkipped) {
    const claim = `${path} skips tests in ${runs} places instead of ${ran}.`
    const added = lines.filter((line) => countSkips(line.slice(1), path) > 0)
    const identity = [path, `${runs - ran}`, ...added.toSorted()]
    found.push({ kind: 'tests_skipped', file: path, claim, evidence: listed(added), identity })
  }
  return found
}

async function diffOf(
  { workspaces }: Deps,
  { base, change, file: { path } }: Pick<OneFile, 'base' | 'change' | 'file'>,
): Promise<string> {
  const maxBytes = limits.gate.fileBytes
  return (await workspaces.diff({ from: base.commit, to: change.commit, path, maxBytes })).text
}

/** Tests that go on under the same names in another file may have lost what they assert on the way. */
async function inRemovedFiles(
  deps: Deps,
  { base, change, files }: Compared,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const assertionsOf = async (status: ChangedFile['status'], sha: string) => {
    const own = files.filter((file) => file.status === status && isTestFile(file.path))
    const counts: { readonly path: string; readonly count: number }[] = []
    for (const { path } of own) {
      const count = countAssertions((await textAt(deps, { sha, path }, signal)) ?? '', path)
      if (count > 0) counts.push({ path, count })
    }
    return counts
  }
  const gone = await assertionsOf('deleted', base.commit)
  const come = gone.length === 0 ? [] : await assertionsOf('added', change.commit)
  const [was, is] = [gone, come].map((all) => all.reduce((sum, { count }) => sum + count, 0)) as [number, number]
  if (is >= was) return []
  const said = [
    ...gone.map(({ path, count }) => `-${path}: ${count}`),
    ...come.map((each) => `+${each.path}: ${each.count}`),
  ]
  const claim = `Test files with ${was} assertions are removed, and those that are new have ${is}.`
  return [{ kind: 'fewer_assertions', file: gone[0]?.path ?? '', claim, evidence: listed(said), identity: said }]
}

async function inConfiguration(deps: Deps, one: OneFile, signal: AbortSignal): Promise<readonly Suspicion[]> {
  const { base, change, config, file } = one
  const { path, from = path } = file
  const inputs = config.prepare.flatMap((step) => step.inputs)
  if (isPackageManifest(path) && !path.startsWith('node_modules/')) return inManifest(deps, one, signal)
  const what = guardedBy(path, inputs) ?? guardedBy(from, inputs) ?? (await runBy(deps, one, signal))
  if (what === null) return []
  const { text, truncated } = await deps.workspaces.diff({
    ...{ from: base.commit, to: change.commit, path },
    maxBytes: limits.gate.fileBytes,
  })
  // Where a long diff is cut depends on what else it is compared with.
  const whole = truncated
    ? [`${(await deps.workspaces.contents(change.commit, [path]))[path]}`]
    : changedLines(text).toSorted()
  return [
    {
      ...{ kind: 'configuration', file: path },
      claim: `${path} is ${file.status}, which decides about ${what}.`,
      evidence: capText(text, limits.gate.diffChars),
      identity: [path, from, ...whole],
    },
  ]
}

async function inManifest(deps: Deps, one: OneFile, signal: AbortSignal): Promise<readonly Suspicion[]> {
  const { base, change, config, file } = one
  const { path, from = path } = file
  const [before, after] = await Promise.all([
    textAt(deps, { sha: base.commit, path: from }, signal),
    textAt(deps, { sha: change.commit, path }, signal),
  ])
  const isInstalledFrom = config.prepare.some(({ inputs }) => inputs.includes(path))
  const changes = manifestChanges(path, [before ?? '', after ?? ''], { isInstalledFrom })
  if (changes.length === 0) return []
  const lines = changes.map(({ key, before: was, after: is }) => `${key}: ${shown(was)} → ${shown(is)}`)
  return [
    {
      ...{ kind: 'configuration', file: path },
      claim: `${path} changes what is run: ${capText(changes.map(({ key }) => key).join(', '), limits.gate.lineChars)}.`,
      evidence: listed(lines),
      identity: [path, ...lines],
    },
  ]
}

function shown(value: string | null): string {
  return value === null ? '(none)' : JSON.stringify(value)
}

/** A script that a step runs, by its command or by a script of the package: what the step does is then decided by the change. */
async function runBy(deps: Deps, { base, config, file }: OneFile, signal: AbortSignal): Promise<string | null> {
  const { path } = file
  const isNamed = (names: readonly string[]) => names.some((name) => posix.join(config.package, name) === path)
  const runs = config.steps.find(({ command }) => isNamed(filesRunBy(command)))
  if (runs !== undefined && !(await isTest(deps, { sha: base.commit, path }, signal)))
    return `the step ${runs.name}, which runs it`
  if (!isScript(path)) return null
  const names = (text: string) => isNamed(filesNamedIn(text))
  const step = config.steps.find(({ command }) => names(command))
  if (step !== undefined) return `the step ${step.name}, which runs it`
  const manifest = await textAt(deps, { sha: base.commit, path: posix.join(config.package, 'package.json') }, signal)
  return manifest !== null && names(manifest) ? 'a script of package.json, which runs it' : null
}

/** What asserts nothing itself is no test but runs them. */
async function isTest(
  deps: Deps,
  at: { readonly sha: string; readonly path: string },
  signal: AbortSignal,
): Promise<boolean> {
  return isTestFile(at.path) && countAssertions((await textAt(deps, at, signal)) ?? '', at.path) > 0
}

function isScript(path: string): boolean {
  return (
    /\.(sh|bash|ps1|bat|cmd)$/.test(path) || (/(^|\/)(scripts?|ci|tools|hack|build)\//.test(path) && !isTestFile(path))
  )
}

async function textAt(
  { workspaces }: Deps,
  { sha, path }: { readonly sha: string; readonly path: string },
  signal: AbortSignal,
): Promise<string | null> {
  const read = await workspaces.committed(sha).read(path, limits.gate.fileBytes, signal)
  return read.ok ? Buffer.from(read.value.base64, 'base64').toString('utf8') : null
}

async function isTooLarge(
  { workspaces }: Deps,
  { sha, path }: { readonly sha: string; readonly path: string },
  signal: AbortSignal,
): Promise<boolean> {
  const read = await workspaces.committed(sha).read(path, limits.gate.fileBytes, signal)
  return !read.ok && read.code === 'too_large'
}

/** Too many to be taken one by one are one. */
function bounded(found: readonly Suspicion[]): readonly Suspicion[] {
  const most = limits.gate.findings
  if (found.length <= most) return found
  const rest = found.slice(most - 1)
  const claim = `${rest.length} more places in which the change touches the gate.`
  const evidence = listed(rest.map((each) => each.claim))
  const identity = rest.flatMap(({ kind, identity: own }) => [kind, ...own])
  return [...found.slice(0, most - 1), { kind: 'configuration', file: '', claim, evidence, identity }]
}

/** Evidence is for reading, and a model reads all of it at once. */
function capped(found: readonly Suspicion[]): readonly Suspicion[] {
  const { evidenceChars } = limits.gate
  const all = found.reduce((sum, { evidence }) => sum + evidence.length, 0)
  if (all <= evidenceChars) return found
  const share = Math.floor(evidenceChars / found.length)
  return found.map((each) => ({ ...each, evidence: capText(each.evidence, share) }))
}

export function withId({ identity, ...finding }: Suspicion): GateFinding {
  const hash = createHash('sha256')
    .update(JSON.stringify([finding.kind, ...identity]))
    .digest('hex')
  return { ...finding, id: `g-${hash.slice(0, 12)}`, severity: 'major' }
}
