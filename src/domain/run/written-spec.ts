import type { Json } from '../json.ts'
import { plainText } from '../plain-text.ts'

/** A spec as the architect submits it at the end of an interview. */
export interface SpecParts {
  readonly title: string
  readonly goal: string
  readonly behaviour: readonly string[]
  readonly acceptance_criteria: readonly string[]
  readonly non_goals: readonly string[]
  readonly open_risks: readonly string[]
}

/** The answer of an interview. */
export interface WrittenSpec {
  readonly title: string
  /** Markdown, as `drydock run` reads it. */
  readonly text: string
  /** The file that the user wants the spec in, as an absolute path; null when none was named. */
  readonly file: string | null
}

/** The answer of a Run whose spec is too vague to split. */
export interface Vague {
  readonly reason: string
  readonly missing: string[]
  /** The spec's own source; and its text, if it was given as text. */
  readonly source: string
  readonly text: string | null
}

/** The spec without hidden characters: the approved text is what binds its builders. */
export function specMarkdown({ title, goal, behaviour, ...lists }: SpecParts): string {
  const risks = lists.open_risks.length === 0 ? ['None known.'] : lists.open_risks
  const whole = [
    `# ${oneLine(title)}`,
    `## Goal\n\n${goal.trim()}`,
    `## Behaviour\n\n${items(behaviour)}`,
    `## Acceptance criteria\n\n${items(lists.acceptance_criteria)}`,
    `## Non-goals\n\n${items(lists.non_goals)}`,
    `## Open risks\n\n${items(risks)}\n`,
  ].join('\n\n')
  return plainText(whole, whole.length)
}

/** The spec in a Run's answer; null when the answer is something else. */
export function writtenSpecOf(answer: Json | unknown): WrittenSpec | null {
  if (typeof answer !== 'object' || answer === null || !('text' in answer) || !('file' in answer)) return null
  return answer as WrittenSpec
}

/** The answer of a Run in TOO_VAGUE. */
export function vagueOf(answer: Json | unknown): Vague {
  return answer as Vague
}

/** Further lines of an item, such as an example, stay inside the item. */
function items(list: readonly string[]): string {
  return list.map((item) => `- ${item.trim().replaceAll(/\n(?=.)/g, '\n  ')}`).join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
