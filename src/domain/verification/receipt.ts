import type { ReceiptCriterion } from '../acceptance/receipt-criteria.ts'
import type { ReviewVerdict, Severity, TrackedFinding } from '../gate/finding.ts'
import type { Anyway } from '../landing/landing.ts'
import { limits } from '../limits.ts'
import { capText } from '../text.ts'
import type { TestCounts } from './tests-seen.ts'
import type { CommandRecord, Manifest } from './verdict.ts'

/** Contains the version. Additions keep the version; changes of meaning do not. */
export const predicateType = 'urn:drydock:receipt:1'

export const statementType = 'https://in-toto.io/Statement/v1'

/**
 * The reviewer who approved the change, and the request. A human approves by accepting the findings
 * of the request. `model` is `provider:model` as the user named it; empty for a human.
 */
export interface Reviewer {
  readonly agent: 'architect' | 'human'
  readonly model: string
  /** `code/<story>`; with `round` it identifies the one request that gave the verdict. */
  readonly request: string
  readonly round: number
  readonly verdict: ReviewVerdict
}

/** The foreign agent that built the change. */
export interface ForeignEditor {
  readonly agent: string
  /** The agent's name for its version; null if it gives none. */
  readonly version: string | null
  /** Files of the user's home with a login that the agent could read. */
  readonly credentials: readonly string[]
}

export interface ReceiptFinding {
  readonly id: string
  readonly severity: Severity
  readonly state: TrackedFinding['state']
  readonly raised_by: 'gate' | 'person' | 'reviewer'
  /** `human` also for each finding of a task without a reviewer. */
  readonly accepted_by: 'architect' | 'human' | null
  /** On a hub, the name of the human who accepted the finding. */
  readonly accepter?: string
  /** The reason the human gave for accepting the finding; left out if none was given. */
  readonly reason?: string
  readonly file: string
  readonly line: number | null
  readonly claim: string
  readonly round: number
}

/**
 * A question to a human about the story. `answered_by` and `answer` are null until somebody
 * answers.
 */
export interface ReceiptEscalation {
  readonly id: string
  readonly question: string
  readonly answer: string | null
  readonly answered_by: string | null
}

/** The signed facts about the origin of a commit. Times are ISO 8601. */
export interface Receipt {
  /**
   * Start of the merge, or end of the task's verification: never the time of signing, so that the
   * same receipt has the same bytes.
   */
  readonly made_at: string
  readonly drydock: { readonly version: string }
  readonly run: {
    readonly id: string
    readonly kind: 'spec' | 'task'
    readonly branch: string
    /** The repository's name in a Run over several; left out for a single one. */
    readonly repository?: string
  }
  readonly story: {
    readonly id: string
    readonly title: string
    /** The person who wrote or changed the story before it began; left out for the architect. */
    readonly edited_by?: string
    /** The editor only talked, so Drydock submitted its change; left out otherwise. */
    readonly handed_in_by?: 'drydock'
  }
  readonly commit: string
  readonly tree: string
  /** The commit that the Run started from, with the configuration and commands. */
  readonly base: string
  /** The tip that the commit was merged onto; null for a task. */
  readonly onto: string | null
  /** The commit that the reviewer saw; null without one. */
  readonly approved_commit: string | null
  readonly verification: {
    readonly run_id: string
    readonly status: Manifest['status']
    readonly sandbox: string
    readonly image: string | null
    readonly os: string
    readonly arch: string
    /** Keys of the dependency layers: hashes of everything that decides their content. */
    readonly layers: readonly { readonly key: string; readonly outputs: readonly string[] }[]
    readonly commands: readonly CommandRecord[]
    /** Null if the steps' output did not say. */
    readonly tests: TestCounts | null
    /**
     * Ids of tests that both failed and passed in runs of this commit, and of tests that fail on
     * the base commit as well.
     */
    readonly flaky: readonly string[]
    readonly pre_existing: readonly string[]
    /** Ids of failing tests that were allowed to fail; left out without any. */
    readonly allowed?: readonly string[]
    /** The source of the changed files' roles; left out by older versions. */
    readonly roles?: Manifest['roles']
    /** Places of hunks that were not tried alone, as `file:line`; left out if none is known. */
    readonly not_tried?: readonly string[]
  }
  /** Left out for Drydock's own editor. */
  readonly editor?: ForeignEditor
  readonly reviewer: Reviewer | null
  readonly findings: readonly ReceiptFinding[]
  /** Left out if no architect wrote tests of the story's criteria. */
  readonly acceptance?: readonly ReceiptCriterion[]
  readonly escalations: readonly ReceiptEscalation[]
  /** A person has landed it although others held it. Left out where nobody had to. */
  readonly landed_anyway?: Pick<Anyway, 'reason' | 'by' | 'held_by'>
  /** Cost of the story until then; `usd` is null while the price of a call is unknown. */
  readonly cost: { readonly usd: number | null; readonly tokens: number; readonly calls: number }
  /** Numbers of entries above the limits of a receipt. */
  readonly left_out: {
    readonly layers: number
    readonly commands: number
    /** Ids of tests. */
    readonly tests: number
    readonly findings: number
    readonly escalations: number
  }
}

/** An in-toto Statement v1. */
export interface Statement {
  readonly _type: typeof statementType
  readonly subject: readonly { readonly name: string; readonly digest: SubjectDigest }[]
  readonly predicateType: typeof predicateType
  readonly predicate: Receipt
}

interface SubjectDigest {
  readonly gitCommit?: string | undefined
  readonly gitTree?: string | undefined
}

export type UnsignedReceipt = Omit<Receipt, 'drydock'>

/** The facts for a receipt, before they are cut to its limits. */
export interface ReceiptFacts
  extends Pick<
    UnsignedReceipt,
    'made_at' | 'run' | 'story' | 'onto' | 'approved_commit' | 'editor' | 'reviewer' | 'acceptance'
  > {
  readonly base: string
  readonly manifest: Manifest
  readonly findings: readonly TrackedFinding[]
  readonly escalations: readonly ReceiptEscalation[]
  readonly cost: Receipt['cost']
}

export function receiptOf(facts: ReceiptFacts): UnsignedReceipt {
  const { manifest, findings, escalations, editor, reviewer, story, acceptance } = facts
  const { commands_executed: commands, dependencies = [], platform } = manifest
  const { flaky = [], pre_existing: preExisting = [], allowed = [], hunks: { left = [] } = {} } = manifest
  const most = limits.receipt
  const over = (list: readonly unknown[], max: number) => Math.max(0, list.length - max)
  return {
    made_at: facts.made_at,
    run: facts.run,
    base: facts.base,
    onto: facts.onto,
    approved_commit: facts.approved_commit,
    cost: facts.cost,
    commit: manifest.commit_sha,
    tree: manifest.tree_sha,
    story: {
      id: story.id,
      title: cap(story.title),
      ...(story.edited_by !== undefined && { edited_by: capName(story.edited_by) }),
      ...(story.handed_in_by !== undefined && { handed_in_by: story.handed_in_by }),
    },
    verification: {
      run_id: manifest.run_id,
      status: manifest.status,
      sandbox: platform.sandbox,
      image: platform.image ?? null,
      os: platform.os,
      arch: platform.arch,
      layers: dependencies.slice(0, most.layers).map(({ layer, outputs }) => ({
        key: layer,
        outputs: outputs.slice(0, most.layers).map(capName),
      })),
      commands: commands.slice(0, most.commands).map((each) => ({
        name: capName(each.name),
        command: cap(each.command),
        exit_code: each.exit_code,
        duration_ms: each.duration_ms,
        timed_out: each.timed_out,
        ...(each.services && {
          services: each.services.map(({ name, log, ...service }) => ({
            ...service,
            name: capName(name),
            log: capName(log),
          })),
        }),
      })),
      tests: countsOf(manifest.tests),
      flaky: flaky.slice(0, most.tests).map(capName),
      pre_existing: preExisting.slice(0, most.tests).map(capName),
      ...(allowed.length > 0 && { allowed: allowed.slice(0, most.tests).map(capName) }),
      ...(manifest.roles && { roles: manifest.roles }),
      ...(left.length > 0 && {
        not_tried: left.slice(0, most.tests).map(({ file, start }) => capName(`${file}:${start}`)),
      }),
    },
    ...(editor && {
      editor: {
        agent: capName(editor.agent),
        version: editor.version && capName(editor.version),
        credentials: editor.credentials.slice(0, most.layers).map(capName),
      },
    }),
    reviewer: reviewer && { ...reviewer, model: modelName(reviewer.model) },
    findings: findings
      .slice(0, most.findings)
      .map((each) => inReceipt(each, reviewer === null ? 'human' : 'architect')),
    ...(acceptance && { acceptance }),
    escalations: escalations.slice(0, most.escalations).map(({ question, answer, ...escalation }) => ({
      ...escalation,
      question: cap(question),
      answer: answer === null ? null : cap(answer),
    })),
    left_out: {
      layers: over(dependencies, most.layers),
      commands: over(commands, most.commands),
      tests:
        over(flaky, most.tests) + over(preExisting, most.tests) + over(allowed, most.tests) + over(left, most.tests),
      findings: over(findings, most.findings),
      escalations: over(escalations, most.escalations),
    },
  }
}

/** The same receipt with who has landed its commit against whom, and why. */
export function withAnyway<R extends UnsignedReceipt>(receipt: R, { reason, by, held_by }: Anyway): R {
  return { ...receipt, landed_anyway: { reason: cap(reason), by: capName(by), held_by: cap(held_by) } }
}

export function statementOf(receipt: Receipt): Statement {
  return {
    _type: statementType,
    subject: [
      { name: 'commit', digest: { gitCommit: receipt.commit } },
      { name: 'tree', digest: { gitTree: receipt.tree } },
    ],
    predicateType,
    predicate: receipt,
  }
}

function inReceipt(finding: TrackedFinding, acceptedBy: 'architect' | 'human'): ReceiptFinding {
  const { id, severity, state, by, file, line, claim, round } = finding
  return {
    id: capName(id),
    severity,
    state,
    file: capName(file),
    line: line ?? null,
    claim: cap(claim),
    round,
    ...(state === 'accepted' && finding.accepter !== undefined && { accepter: capName(finding.accepter) }),
    ...(state === 'accepted' && finding.reason !== undefined && { reason: cap(finding.reason) }),
    raised_by: by ?? 'reviewer',
    accepted_by: state === 'accepted' ? (finding.acceptedBy ?? acceptedBy) : null,
  }
}

function countsOf(tests: TestCounts | undefined): TestCounts | null {
  return tests === undefined ? null : { passed: tests.passed, failed: tests.failed, skipped: tests.skipped }
}

/** The path of a recording is private. */
function modelName(id: string): string {
  return id.startsWith('replay:') ? 'replay' : capName(id)
}

const capName = (text: string): string => capText(text, limits.receipt.nameChars)
const cap = (text: string): string => capText(text, limits.receipt.textChars)
