import type { RemarkAnswer, TrackedFinding } from '../gate/finding.ts'
import { markedText } from '../hidden-characters.ts'
import { limits } from '../limits.ts'
import { plainLine } from '../plain-text.ts'
import type { NewRemark, RemarkData } from './remark.ts'

/** A remark as a finding that holds its story. */
export function findingOf({ finding: id, author, place, text }: RemarkData, round: number): TrackedFinding {
  const line = place?.start ?? null
  return {
    id,
    severity: 'major',
    file: place?.path ?? '',
    claim: text,
    evidence: place?.hunk ?? '',
    ...(line !== null && { line }),
    by: 'person',
    author,
    state: 'open',
    round,
  }
}

/** People's remarks that hold a story. */
export function openRemarks(findings: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return findings.filter(({ by, state }) => by === 'person' && state === 'open')
}

/** The findings after the editor has submitted a change with these answers. */
export function withAnswers(
  findings: readonly TrackedFinding[],
  answers: readonly (RemarkAnswer & { readonly id: string })[],
): readonly TrackedFinding[] {
  const given = new Map(answers.map(({ id, settled, reply }) => [id, { settled, reply }]))
  return findings.map((finding) => {
    const answer = given.get(finding.id)
    return answer === undefined || finding.by !== 'person' ? finding : { ...finding, answer }
  })
}

/** Without a reviewer, a verified change settles the findings that its editor says it settles. */
export function settledByChange(findings: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return findings.map((finding) =>
    finding.by === 'person' && finding.state === 'open' && finding.answer?.settled === true
      ? { ...finding, state: 'closed' }
      : finding,
  )
}

/** When a story starts over, remarks that nobody has accepted are open again. */
export function carriedOver(findings: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return findings.flatMap((finding): TrackedFinding[] => {
    if (finding.by !== 'person') return []
    const { answer: _, ...kept } = finding
    return [finding.state === 'accepted' ? kept : { ...kept, state: 'open' }]
  })
}

/** Characters of a remark that agents read; longer ones are cut. */
export function remarkSize({ text, place }: Pick<NewRemark, 'text' | 'place'>): number {
  const { textChars, hunkChars } = limits.remark
  return Math.min(text.length, textChars) + Math.min(place?.hunk?.length ?? 0, hunkChars)
}

/** The remark's lines in the diff, for people and models; empty for the whole change. */
export function placeText({ place }: Pick<NewRemark, 'place'>): string {
  if (place === null) return ''
  const { path, start, end, side } = place
  const lines = start === null ? '' : `:${start}${end === null || end === start ? '' : `-${end}`}`
  return `${plainLine(markedText(path), 1_000)}${lines}${side === 'old' ? ' (before the change)' : ''}`
}

/** The place where the remark was made. */
export function sourceText({ source }: Pick<NewRemark, 'source'>): string {
  switch (source.kind) {
    case 'dashboard':
      return 'the dashboard'
    case 'cli':
      return 'the command line'
    case 'forge':
      return `${source.forge}, change ${source.change}`
    case 'ci':
      return `the check ${source.check}`
    default:
      throw new Error(`unknown source ${source satisfies never}`)
  }
}
