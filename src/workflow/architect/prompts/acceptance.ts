import { dataSection } from '../../../agents/prompts/data-section.ts'
import type { AcceptanceFile, CriterionProblem, WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import { type Criterion, describeInterface, type Interface } from '../../../domain/acceptance/criteria.ts'
import { limits } from '../../../domain/limits.ts'
import { capText } from '../../../domain/text.ts'

const list = (criteria: readonly Pick<Criterion, 'id' | 'text'>[]) =>
  dataSection('criteria', criteria.map(({ id, text }) => `- ${id}: ${text}`).join('\n'))

/** First message of the lane that writes a story's tests. */
export function testsPrompt({
  brief,
  criteria,
}: {
  readonly brief: string
  readonly criteria: readonly Criterion[]
}): string {
  return [brief, `Write tests for each of these criteria of the story:\n${list(criteria)}`].join('\n\n')
}

/** First message of the lane that looks for the text that demands the expected values. */
export function quotesPrompt({
  brief,
  tests,
  entries,
}: {
  readonly brief: string
  readonly tests: WrittenTests
  readonly entries: Interface
}): string {
  const names = tests.criteria.flatMap((each) => each.tests.map((name) => `- ${name}`))
  return [
    brief,
    entries.length > 0 && dataSection('interface', describeInterface(entries)),
    ...tests.files.map(fileSection),
    `Name each of these tests once in \`submit_quotes\`:\n${dataSection('tests', names.join('\n'))}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Tells the author which tests do not count, and why. */
export function returnedTests(problems: readonly CriterionProblem[], left: number): string {
  const words = problems.map(({ id, problem }) => `- ${id}: ${problem}`).join('\n')
  const more = left === 0 ? 'This is the last time: what does not hold then stays untested.' : ''
  return [
    `Some of these tests do not count yet:\n${dataSection('problems', words)}`,
    `Hand in the whole corrected set with \`submit_acceptance_tests\`, or say of a criterion in \`untested\` why no test can decide it. ${more}`.trim(),
  ].join('\n\n')
}

interface Dispute {
  readonly brief: string
  readonly tests: WrittenTests
  readonly criteria: readonly Criterion[]
  readonly entries: Interface
  /** The editor's summary of its change. */
  readonly said: string
  readonly diff: string
  readonly coder: string
  readonly sha: string
}

/** First message of the lane that decides whether the tests of unmet criteria are right. */
export function disputePrompt({ brief, tests, criteria, entries, said, diff, coder, sha }: Dispute): string {
  const names = new Map(tests.criteria.map((each) => [each.id, each.tests]))
  const asked = criteria.map(({ id, text }) => `- ${id}: ${text}\n  tests: ${(names.get(id) ?? []).join('; ')}`)
  return [
    brief,
    `The editor was told that these criteria are not met, and has handed in its change again. They are still not met:\n${dataSection('criteria', asked.join('\n'))}`,
    entries.length > 0 && dataSection('interface', describeInterface(entries)),
    ...tests.files.map(fileSection),
    dataSection('editor', said),
    dataSection('diff', diff),
    `The workspace of the editor is \`${coder}\`, its change the commit ${sha}. Decide about each of these criteria.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function fileSection({ path, content }: AcceptanceFile): string {
  const text = Buffer.from(content, 'base64').toString('utf8')
  return dataSection('file', capText(text, limits.writtenTests.fileChars), ` path="${path}"`)
}
