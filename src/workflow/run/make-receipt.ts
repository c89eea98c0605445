import { receiptCriteria } from '../../domain/acceptance/receipt-criteria.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { holding } from '../../domain/gate/finding.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import { landsTogether, repositoriesOf, repositoryOf } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import { subjectOf } from '../../domain/run/subject.ts'
import type { Story } from '../../domain/story/story.ts'
import { firstLine } from '../../domain/text.ts'
import {
  type ForeignEditor,
  type ReceiptEscalation,
  type Reviewer,
  receiptOf,
  type UnsignedReceipt,
} from '../../domain/verification/receipt.ts'
import type { Manifest } from '../../domain/verification/verdict.ts'
import { acceptanceOf } from '../architect/acceptance/story-tests.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { attemptOf } from '../merge/merge-story.ts'

type Deps = Pick<WorkflowDependencies, 'store' | 'publisher' | 'receipts'>

interface MergeFacts {
  readonly run: Run
  readonly merge: Merge
  readonly story: Story
  readonly branch: string
  /** Manifest of the verification of exactly the commit that will land. */
  readonly manifest: Manifest
  /** True if it replaces the stored receipt, because there are more findings. */
  readonly anew?: boolean
}

/**
 * Signs and stores the receipt of a merge, and adds it as a note to the commit in the user's
 * repository, all before the branch moves. Repeating it after a crash gives the same receipt.
 * Returns the receipt's path. Throws DrydockError if there can be no receipt: then nothing may
 * land.
 */
export async function receiptOfMerge(
  deps: Deps,
  { run, merge, story, branch, manifest, anew = false }: MergeFacts,
): Promise<string> {
  const { tip: onto, at } = attemptOf(merge)
  const receipt = receiptOf({
    ...(await factsOf(deps, run, { story, manifest })),
    made_at: at,
    onto,
    approved_commit: merge.data.candidate,
    manifest,
    run: { id: run.id, kind: 'spec', branch, ...repositoryIn(run, story) },
    reviewer: await reviewerOf(deps, story, merge.data.candidate),
  })
  // A commit that lands together with others gets its note when it lands.
  return landsTogether(run) ? (await deps.receipts.keep(receipt, { anew })).path : keep(deps, receipt, anew)
}

/** The repository's name, if the Run has several. */
function repositoryIn(run: Run, story: Story): Pick<UnsignedReceipt['run'], 'repository'> {
  const name = repositoryOf(story) ?? repositoriesOf(run)[0]?.name
  return name === undefined ? {} : { repository: name }
}

/**
 * Makes the receipt for the commit of a task, which an architect has reviewed if the task's policy
 * requires a review.
 */
export async function receiptOfTask(
  deps: Deps,
  { run, story, branch }: Pick<MergeFacts, 'run' | 'story' | 'branch'>,
): Promise<string> {
  const runId = story.data.attempts.at(-1)?.runId ?? ''
  const manifest = (await deps.store.verification(runId))?.manifest
  if (!manifest) throw new Error(`there is no verification ${runId} of ${story.id}`)
  const approved = run.data.policy.reviewer === null ? null : story.data.reviews.code.sha
  const receipt = receiptOf({
    ...(await factsOf(deps, run, { story, manifest })),
    made_at: manifest.timestamp_end,
    onto: null,
    approved_commit: approved,
    manifest,
    reviewer: approved === null ? null : await reviewerOf(deps, story, approved),
    run: { id: run.id, kind: 'task', branch },
  })
  return keep(deps, receipt)
}

async function keep({ receipts, publisher }: Deps, receipt: UnsignedReceipt, anew = false): Promise<string> {
  const { text, path } = await receipts.keep(receipt, { anew })
  try {
    await publisher.note({ sha: receipt.commit, text, at: new Date(receipt.made_at) })
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const { message, todo } = error
    throw new DrydockError('receipt_failed', `The receipt could not be noted: ${message}`, { todo, cause: error })
  }
  return path
}

async function factsOf({ store }: Deps, run: Run, { story: own, manifest }: Pick<MergeFacts, 'story' | 'manifest'>) {
  const { story, data } = own
  const acceptance = await acceptanceOf(store, own)
  const { calls, tokens, costMicroUsd, unpriced } = await store.totals(run.id, story ?? '')
  const editor = await foreignEditor(store, run, story)
  return {
    ...(editor && { editor }),
    ...(acceptance && { acceptance: receiptCriteria(acceptance, manifest.acceptance) }),
    base: run.data.base ?? data.base,
    story: {
      id: story ?? '',
      title: data.planned?.title ?? firstLine(subjectOf(data.task.text)),
      ...(data.planned?.edited_by !== undefined && { edited_by: data.planned.edited_by }),
      ...(data.change?.isHandedInFor && { handed_in_by: 'drydock' as const }),
    },
    findings: data.reviews.code.findings,
    escalations: await escalationsOf(store, run, story),
    cost: { usd: unpriced > 0 ? null : costMicroUsd / 1e6, tokens, calls },
  }
}

/** The foreign agent of the last session; null if Drydock's own editor did the work. */
async function foreignEditor(store: Deps['store'], { id }: Run, story: string | null): Promise<ForeignEditor | null> {
  const asked = { run: id, ...(story !== null && { story }), types: ['agent_session'] as const, limit: 1 }
  const [session] = await store.recentEvents(asked)
  if (session === undefined) return null
  const { agent, version, credentials = [] } = session.data
  return { agent, version, credentials }
}

async function escalationsOf(
  store: Deps['store'],
  { id: run }: Run,
  story: string | null,
): Promise<readonly ReceiptEscalation[]> {
  const said = await store.chat({ run, story })
  return said
    .filter((message) => message.post_type === 'escalate')
    .map(({ id, content }) => {
      const reply = said.find((message) => message.reply_to === id && message.agent_id === 'human')
      return {
        id,
        question: content,
        answer: reply?.content ?? null,
        answered_by: reply?.author ?? reply?.agent_id ?? null,
      }
    })
}

/** The request that approved a commit of the story, and the approving model. */
async function reviewerOf({ store }: Deps, { run, story, data }: Story, commit: string): Promise<Reviewer> {
  const requests = await store.machines({ kind: 'request', run, states: ['ANSWERED'] })
  const approval = requests.findLast(
    (each) => each.story === story && each.data.kind === 'code' && each.data.sha === commit,
  )
  if (approval === undefined) throw new Error(`nobody has approved ${commit}`)
  const { name, round, lane, verdict } = approval.data
  const { findings } = data.reviews.code
  const byHuman = holding(findings).length === 0 && findings.some(({ acceptedBy }) => acceptedBy === 'human')
  if (verdict === 'NEEDS_CHANGES' && byHuman)
    return { agent: 'human', model: '', request: `code/${name}`, round, verdict: 'APPROVED' }
  if (verdict !== 'APPROVED') throw new Error(`request ${approval.id} has not approved ${commit}`)
  const calls = await store.modelCalls(run, lane)
  return { agent: 'architect', model: calls.at(-1)?.model ?? '', request: `code/${name}`, round, verdict }
}
