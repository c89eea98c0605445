import type { TrackedFinding } from '../../domain/gate/finding.ts'
import { placeOf } from '../../domain/gate/finding-line.ts'
import { limits } from '../../domain/limits.ts'
import { plainLine } from '../../domain/plain-text.ts'
import { sentence } from '../../domain/sentence.ts'
import { dataSection } from './data-section.ts'

/** Findings as a lane reads them, one paragraph each. */
export function findingsSection(tag: string, findings: readonly TrackedFinding[]): string {
  return dataSection(tag, findings.map(findingText).join('\n\n'))
}

function findingText({ acceptedBy, ...finding }: TrackedFinding): string {
  const { id, severity, round, claim, evidence, author, answer } = finding
  const state = acceptedBy === 'human' ? 'accepted by a human, so settled' : finding.state
  const who = author === undefined ? '' : `, by ${plainLine(author, limits.remark.authorChars)}`
  const said =
    answer === undefined ? '' : `\nanswer: ${answer.settled ? 'settled' : 'nothing changes'}: ${answer.reply}`
  const head = sentence`[${id}] ${severity}, ${state}, of round ${round}${who} ${placeOf(finding)}`
  return `${head}\nclaim: ${claim}\nevidence: ${evidence}${said}`
}
