export type Severity = 'blocker' | 'major' | 'minor'

export type ReviewVerdict = 'APPROVED' | 'NEEDS_CHANGES' | 'REJECTED'

/**
 * Something that a reviewer holds against a plan or a change. Its id stays the same in all rounds.
 */
export interface Finding {
  readonly id: string
  readonly severity: Severity
  readonly file: string
  readonly line?: number | undefined
  readonly claim: string
  readonly evidence: string
}

/** A finding with what became of it. */
export interface TrackedFinding extends Finding {
  readonly state: 'open' | 'closed' | 'accepted'
  /** Who raised it: a reviewer when it is left out. */
  readonly by?: 'gate' | 'person'
  /** Of a person's: the name. */
  readonly author?: string
  /** Of a person's: what the editor has said about it last. */
  readonly answer?: RemarkAnswer
  /**
   * Who has accepted it: left out for the reviewer, and for a task by versions that did not tell.
   */
  readonly acceptedBy?: 'human'
  /** On a hub, the name of that human's token. */
  readonly accepter?: string
  /** Why that human has accepted it; left out where nothing was said. */
  readonly reason?: string
  /** The round that raised it. */
  readonly round: number
}

/** What an editor says about a person's remark when it hands a change in. */
export interface RemarkAnswer {
  /** False: nothing changes for it, and `reply` says why. */
  readonly settled: boolean
  readonly reply: string
}

/** A finding as a reviewer hands it in; without an id it is a new one. */
export type NewFinding = Omit<Finding, 'id'> & { readonly id?: string | undefined }

interface Reply {
  readonly findings: readonly NewFinding[]
  /** Ids of findings that the reviewer takes as they are. */
  readonly accepted: readonly string[]
  /** Ids of people's remarks that the reviewed change settles. */
  readonly settled?: readonly string[]
  readonly round: number
  /** What ids of new findings start with. */
  readonly prefix: string
}

/**
 * The findings after a round. A finding that is named again is open, an accepted one is accepted.
 * An open one that is no longer named is closed, except for one of the gate, which only an
 * acceptance by name or another change ends. A person's remark stays open until the reviewer says
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

/** What a reviewer names again is open, also if it was settled before. */
function afterReview(
  finding: TrackedFinding,
  { named, reply: { settled = [] } }: { readonly named: boolean; readonly reply: Reply },
): TrackedFinding {
  if (named) return { ...finding, state: 'open' }
  return settled.includes(finding.id) ? { ...finding, state: 'closed' } : finding
}

/**
 * The ids of the gate and of people's remarks: a reviewer's finding under one would hide what comes
 * later.
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
 * Any open blocker or major finding makes it NEEDS_CHANGES; with none it is APPROVED, unless it was
 * REJECTED. Minor findings never hold a story.
 */
export function effectiveVerdict(said: ReviewVerdict, findings: readonly TrackedFinding[]): ReviewVerdict {
  if (said === 'REJECTED') return 'REJECTED'
  return holding(findings).length > 0 ? 'NEEDS_CHANGES' : 'APPROVED'
}

/** The findings that hold a story. */
export function holding(findings: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return findings.filter(({ state, severity }) => state === 'open' && severity !== 'minor')
}

/** Those that no reviewer can drop: the gate's and people's, also once they are accepted. */
export function firmFindings(tracked: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return tracked.filter(({ by, state }) => by !== undefined && state !== 'closed')
}

/** What a human takes as it is, by ids of findings; on a hub with the name of that human. */
export interface Acceptance {
  readonly ids: readonly string[]
  readonly by: string | undefined
  readonly reason?: string | undefined
}

/** The findings once a human has taken those of these ids that are open as they are. */
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
