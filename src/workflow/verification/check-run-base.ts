import { DrydockError } from '../../domain/drydock-error.ts'
import { type GateFinding, trackGate } from '../../domain/gate/gate-finding.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import { landsTogether, repositoryOf, runIn } from '../../domain/run/repositories.ts'
import { beganWith, gateConfigOf, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Manifest } from '../../domain/verification/verdict.ts'
import { verificationId } from '../../domain/verification/verification.ts'
import type { GateDependencies } from '../../gate/dependencies.ts'
import { InfraFailure } from '../../gate/infra-failure.ts'
import { type Brought, type MergedCommit, tryRunBase } from '../../gate/run-base.ts'
import type { Commit } from '../../ports/engine.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, requireStory } from '../machines.ts'
import type { RepositoryDependencies } from '../repositories.ts'
import { createRepositories } from '../repositories.ts'
import { receiptOfMerge } from '../run/make-receipt.ts'

/**
 * Runs the tests of the Run's base on the Run's final commits, once for each set of commits. A
 * finding belongs to the story that caused it, and stays open until a person accepts it, since no
 * editor is left. False if there is nothing to check, or if it was checked before.
 */
export async function checkRunBase(
  deps: GateDependencies & RepositoryDependencies & Pick<WorkflowDependencies, 'publisher' | 'receipts'>,
  run: Run,
  commit: Commit,
  signal: AbortSignal,
): Promise<boolean> {
  const ends = endsOf(run)
  if (run.data.stopped || run.data.baseChecked === ends) return false
  const merges = await deps.store.machines({ kind: 'merge', run: run.id, states: ['MERGED'] })
  const landed = await Promise.all(
    merges.map(async (merge) => ({ merge, story: await requireStory(deps.store, merge) })),
  )
  const brought: Brought[] = []
  let asked = false
  for (const [repository, own] of Map.groupBy(landed, ({ story }) => repositoryOf(story))) {
    if (own.length < 2) continue
    asked = true
    brought.push(...(await inRepository(deps, { run: runIn(run, repository), landed: own }, signal)))
  }
  if (!asked) return false
  const tracked = tracking(landed, brought)
  for (const each of tracked) await receiptAgain(deps, run, each)
  await commit(async (tx) => {
    for (const { story } of tracked) await tx.edit(await load(tx, 'story', story.id), { reviews: story.data.reviews })
    await tx.queue(await tx.edit(await load(tx, 'run', run.id), { baseChecked: ends }))
  })
  return true
}

/** The final commits of a Run, in all of its repositories. */
function endsOf({ data: { tip, repositories = [] } }: Run): string {
  return [tip, ...repositories.map((each) => each.tip)].join(' ')
}

interface LandedMerge {
  readonly merge: Merge
  readonly story: Story
}

async function inRepository(
  deps: GateDependencies & RepositoryDependencies,
  { run, landed }: { readonly run: Run; readonly landed: readonly LandedMerge[] },
  signal: AbortSignal,
): Promise<readonly Brought[]> {
  const config = gateConfigOf(run)
  const { base } = run.data
  const [first] = landed
  if (config === null || base === null || first === undefined) return []
  const merged = await inOrder(deps, base, landed)
  const commit = merged.at(-1)?.commit ?? base
  const own = await createRepositories(deps).of(first.merge)
  const at = deps.clock.now()
  const given = {
    runId: verificationId(at, deps.clock.random()),
    commit,
    base,
    isFromStart: beganWith(run, base),
    config,
    checkout: 'run-base',
    onPrepare: async () => undefined,
    at: at.toISOString(),
  }
  // Runs that end at the same time share the checkout.
  return deps.artifacts.alone('run-base', () => tryRunBase(own, { given, merged }, signal), signal).catch(untried)
}

function untried(error: unknown): never {
  if (!(error instanceof InfraFailure)) throw error
  throw new DrydockError(
    'run_base_untried',
    `All stories are merged, but the first tests of the run could not be tried on its final commit: ${error.infra.errorMessage}`,
    { todo: 'Run `drydock doctor`. Once the sandbox works again: drydock resume', cause: error },
  )
}

/** The merged commits in order, each on top of the previous one. */
async function inOrder(
  { store }: Pick<WorkflowDependencies, 'store'>,
  base: string,
  landed: readonly LandedMerge[],
): Promise<readonly MergedCommit[]> {
  const on = new Map(landed.map(({ merge }) => [merge.data.attempt?.tip, merge]))
  const found: MergedCommit[] = []
  for (let onto = base; ; ) {
    const { story, data } = on.get(onto) ?? {}
    if (story == null || !data?.commit) return found
    on.delete(onto)
    const manifest = (await store.verification(data.attempt?.runId ?? ''))?.manifest ?? null
    found.push({ story, commit: data.commit, onto, told: toldBy(manifest) })
    onto = data.commit
  }
}

/** Findings whose evidence names tests, one on each line. */
const naming: readonly GateFinding['kind'][] = ['expectation_changed', 'tests_removed', 'tests_renamed']

/** Ids of the tests that a merge has lost, and that somebody accepted before it landed. */
function toldBy(manifest: Manifest | null): ReadonlySet<string> {
  const told = manifest?.integrity?.findings.filter(({ kind }) => naming.includes(kind)) ?? []
  const named = told.flatMap(({ evidence }) => evidence.split('\n').map((line) => line.replace(/^- /, '')))
  const ids = named.flatMap((line) => [line, line.split(': ')[0] ?? '', line.split(' → ')[0] ?? ''])
  return new Set([...(manifest?.hybrid?.failing ?? []), ...ids])
}

/** The stories whose findings differ from the stored ones. */
function tracking(landed: readonly LandedMerge[], brought: readonly Brought[]): readonly LandedMerge[] {
  const stories = new Map(landed.map((each) => [each.story.id, each]))
  return [...stories.values()].flatMap(({ merge, story }) => {
    const found = brought.flatMap((each): readonly GateFinding[] => (each.story === story.story ? [each.finding] : []))
    const { code } = story.data.reviews
    const findings = trackGate(code.findings, { found, accepted: [], round: story.data.requests.code + 1 })
    if (JSON.stringify(findings) === JSON.stringify(code.findings)) return []
    const reviews = { ...story.data.reviews, code: { ...code, findings } }
    return [{ merge, story: { ...story, data: { ...story.data, reviews } } }]
  })
}

/** Signs the receipt of a story's commit again, with the later findings. */
async function receiptAgain(
  deps: RepositoryDependencies & Pick<WorkflowDependencies, 'publisher' | 'receipts'>,
  run: Run,
  { merge, story }: LandedMerge,
): Promise<void> {
  const manifest = (await deps.store.verification(merge.data.attempt?.runId ?? ''))?.manifest
  const { branch } = run.data
  if (!manifest || branch === null) return
  const own = landsTogether(run) ? await createRepositories(deps).of(merge) : deps
  await receiptOfMerge(own, { run, merge, story, branch, manifest, anew: true })
}
