export type Severity = 'blocker' | 'major' | 'minor'

export type ReviewVerdict = 'APPROVED' | 'NEEDS_CHANGES' | 'REJECTED'

/** An objection of a reviewer to a plan or a change. The id stays the same in all rounds. */
export interface Finding {
  readonly id: string
  readonly severity: Severity
  readonly file: string
  readonly line?: number | undefined
  readonly claim: string
  readonly evidence: string
}

/** A finding and its present state. */
export interface TrackedFinding extends Finding {
  readonly state: 'open' | 'closed' | 'accepted'
  /** The source of the finding: left out for a reviewer. */
  readonly by?: 'gate' | 'person'
  /** The name of the person; left out for other sources. */
  readonly author?: string
  /** The editor's last answer to a person's remark. */
  readonly answer?: RemarkAnswer
  /** The acceptor: left out for the reviewer, and for a task by versions that did not record it. */
  readonly acceptedBy?: 'human'
  /** On a hub, the name of that human's token. */
  readonly accepter?: string
  /** The reason the human gave for accepting the finding; left out if none was given. */
  readonly reason?: string
  /** The round of review that raised the finding. */
  readonly round: number
}

/** The editor's answer to a person's remark, given with a change. */
export interface RemarkAnswer {
  /** False if the change does nothing about the remark; `reply` says why. */
  readonly settled: boolean
  readonly reply: string
}

/** A finding as a reviewer submits it; a new one has no id. */
export type NewFinding = Omit<Finding, 'id'> & { readonly id?: string | undefined }

interface Reply {
  readonly findings: readonly NewFinding[]
  /** Ids of findings that the reviewer accepts. */
  readonly accepted: readonly string[]
  /** Ids of people's remarks that the reviewed change settles. */
  readonly settled?: readonly string[]
  readonly round: number
  /** Prefix of the ids of new findings. */
  readonly prefix: string
}

/**
 * The findings after a round. A finding that is named again is open, an accepted one is accepted.
 * An open one that is no longer named is closed, except for one of the gate, which ends only by
 * acceptance by name or by another change. A person's remark stays open until the reviewer says
 * that the change settles it: no reviewer drops or accepts one. No reviewer reopens a finding that
 * a human has accepted.
 */
export function trackFindings(before: readonly TrackedFinding[], reply: Reply): readonly TrackedFinding[] {
  const named = new Map(reply.findings.flatMap((finding) => (finding.id === undefined ? [] : [[finding.id, finding]])))
  const known = before.map((finding): TrackedFinding => {
    if (finding.acceptedBy === 'human') return finding
    if (finding.by === 'person') return afterReview(finding, { named: named.has(finding.id), reply })
    if (reply.accepted.includes(finding.id)) return { ...finding, state: 'accepted' }
    if (finding.by === 'gate') return finding
    const again = named.get(finding.id)
    if (again !== undefined) return { ...finding, ...again, id: finding.id, state: 'open' }
    return finding.state === 'open' ? { ...finding, state: 'closed' } : finding
  })
  const taken = new Set(before.map(({ id }) => id))
  const fresh = reply.findings
    .filter(({ id }) => id === undefined || !taken.has(id))
    .map((finding) => (isReserved(finding.id) ? { ...finding, id: undefined } : finding))
  for (const { id } of fresh) if (id !== undefined) taken.add(id)
  const added = fresh.map((finding): TrackedFinding => {
    const id = finding.id ?? freeId(reply.prefix, taken)
    taken.add(id)
    return { ...finding, id, state: reply.accepted.includes(id) ? 'accepted' : 'open', round: reply.round }
  })
  return [...known, ...added]
}

/** A finding that the reviewer names again is open, even if it was settled before. */
function afterReview(
  finding: TrackedFinding,
  { named, reply: { settled = [] } }: { readonly named: boolean; readonly reply: Reply },
): TrackedFinding {
  if (named) return { ...finding, state: 'open' }
  return settled.includes(finding.id) ? { ...finding, state: 'closed' } : finding
}

/**
 * True for ids of the gate and of people's remarks: a reviewer's finding with such an id would hide
 * a later one.
 */
function isReserved(id: string | undefined): boolean {
  return id !== undefined && /^(?:g-[0-9a-f]{12}|F-\d+)$/i.test(id)
}

function freeId(prefix: string, taken: ReadonlySet<string>): string {
  let n = 1
  while (taken.has(`${prefix}${n}`)) n += 1
  return `${prefix}${n}`
}

/**
 * Any open blocker or major finding makes the verdict NEEDS_CHANGES; without one it is APPROVED,
 * unless it was REJECTED. Minor findings never hold a story.
 */
export function effectiveVerdict(said: ReviewVerdict, findings: readonly TrackedFinding[]): ReviewVerdict {
  if (said === 'REJECTED') return 'REJECTED'
  return holding(findings).length > 0 ? 'NEEDS_CHANGES' : 'APPROVED'
}

/** The findings that hold a story. */
export function holding(findings: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return findings.filter(({ state, severity }) => state === 'open' && severity !== 'minor')
}

/** Findings that no reviewer can drop: the gate's and people's, even once they are accepted. */
export function firmFindings(tracked: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return tracked.filter(({ by, state }) => by !== undefined && state !== 'closed')
}

/** A human's acceptance of findings by id; on a hub with the name of that human. */
export interface Acceptance {
  readonly ids: readonly string[]
  readonly by: string | undefined
  readonly reason?: string | undefined
}

/** The findings after a human has accepted the open ones with these ids. */
export function acceptByHuman(
  findings: readonly TrackedFinding[],
  { ids, by, reason }: Acceptance,
): readonly TrackedFinding[] {
  const who = { ...(by !== undefined && { accepter: by }), ...(reason !== undefined && { reason }) }
  return findings.map((finding) =>
    finding.state === 'open' && ids.includes(finding.id)
      ? { ...finding, state: 'accepted', acceptedBy: 'human', ...who }
      : finding,
  )
}
