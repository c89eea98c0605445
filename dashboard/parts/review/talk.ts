import type { RemarkAnswer } from '../../../src/api/remarks.ts'
import type { Finding } from '../../../src/api/stories.ts'
import type { DiffFile } from '../diff/diff-files.ts'
import { type Anchor, isIn, type Placement, placeIn } from './anchor.ts'
import type { Draft } from './draft-review.ts'

/** A comment, a finding or a draft about a change. */
export type Talk = { readonly key: string; readonly anchor: Anchor } & (
  | {
      readonly kind: 'remark'
      readonly remark: RemarkAnswer
      readonly replies: readonly RemarkAnswer[]
      readonly drafts: readonly Draft[]
    }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'draft'; readonly draft: Draft }
)

export interface PlacedTalk {
  readonly talk: Talk
  readonly place: Placement
}

/** The ids in addresses, with those of the replies; none for a draft. */
export function idsOf(talk: Talk): readonly (string | null)[] {
  if (talk.kind === 'draft') return []
  return talk.kind === 'finding' ? [talk.finding.id] : [talk.remark.id, ...talk.replies.map(({ id }) => id)]
}

/** The drafts in it: itself, or replies that are not sent. */
export function draftsOf(talk: Talk): readonly Draft[] {
  if (talk.kind === 'draft') return [talk.draft]
  return talk.kind === 'remark' ? talk.drafts : []
}

interface Thread {
  readonly remark: RemarkAnswer
  readonly replies: readonly RemarkAnswer[]
}

/** Comments with the replies to them. A reply to a comment that is not here stands alone. */
export function threadsOf(remarks: readonly RemarkAnswer[]): readonly Thread[] {
  const ids = new Set(remarks.map(({ id }) => id))
  const isReply = ({ reply_to: root }: RemarkAnswer) => root !== null && ids.has(root)
  const replies = Map.groupBy(remarks.filter(isReply), ({ reply_to }) => reply_to)
  return remarks.flatMap((remark) =>
    isReply(remark) ? [] : [{ remark, replies: (remark.id !== null && replies.get(remark.id)) || [] }],
  )
}

export function talkOf(
  remarks: readonly RemarkAnswer[],
  findings: readonly Finding[],
  drafts: readonly Draft[],
): readonly Talk[] {
  const own = new Set(remarks.map(({ id }) => id))
  return [
    ...findings
      .filter(({ id, by }) => !(by === 'person' && own.has(id)))
      .map((finding): Talk => ({ kind: 'finding', key: `finding ${finding.id}`, anchor: anchorOf(finding), finding })),
    ...threadsOf(remarks).map(
      ({ remark, replies }): Talk => ({
        kind: 'remark',
        key: `remark ${remark.key}`,
        anchor: remark,
        remark,
        replies,
        drafts: drafts.filter(({ replyTo }) => replyTo !== null && replyTo === remark.id),
      }),
    ),
    ...drafts
      .filter(({ replyTo }) => replyTo === null || !own.has(replyTo))
      .map((draft): Talk => ({ kind: 'draft', key: `draft ${draft.key}`, anchor: draft, draft })),
  ]
}

function anchorOf({ file, line: named }: Finding): Anchor {
  const line = named ?? null
  return { path: file === '' ? null : file, side: 'new', start: line, end: line, hunk: null }
}

export interface SortedTalk {
  /** Comments by the id of their file. */
  readonly ofFile: ReadonlyMap<string, readonly PlacedTalk[]>
  /** Comments on the whole change, and on files that it no longer contains. */
  readonly rest: readonly PlacedTalk[]
}

export function sortTalk(talk: readonly Talk[], files: readonly DiffFile[]): SortedTalk {
  const ofFile = new Map<string, PlacedTalk[]>()
  const rest: PlacedTalk[] = []
  const byPath = Map.groupBy(files, ({ path }) => path)
  for (const each of talk) {
    const { path } = each.anchor
    const file = path === null ? undefined : (byPath.get(path)?.[0] ?? files.find((one) => isIn(one, each.anchor)))
    if (file === undefined)
      rest.push({ talk: each, place: path === null ? { at: 'file' } : { at: 'outdated', isGone: true } })
    else {
      const placed = { talk: each, place: placeIn(file, each.anchor) }
      ofFile.set(file.id, [...(ofFile.get(file.id) ?? []), placed])
    }
  }
  return { ofFile, rest }
}
