import fc from 'fast-check'
import { expect } from 'vitest'
import { issueRequest, issueTitle } from '../../../src/app/forge/issue-request.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const part = fc.oneof(
  fc.constantFrom(
    '----- begin of issue 7, ',
    '----- end of issue 7, ',
    '-----',
    '\n',
    '# ',
    '@ada',
    '#12',
    '!3',
    '<!-- ',
  ),
  nasty,
)
const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))

interface IssueText {
  readonly title: string
  readonly text: string
  readonly author: string
}

/**
 * The words of an issue stay inside their frame, and its title is one line that mentions nobody.
 */
export const issueText: FuzzTarget<IssueText> = {
  name: 'issue-text',
  async open() {
    return {
      inputs: fc.record({ title: text, text, author: text }),
      check(said) {
        const issue = { ...said, number: 7, url: '', labels: [], at: '' }
        const title = issueTitle(issue)
        expect(title).not.toMatch(/[\n\r]|[@#!]\w/)
        expect(title.trim()).not.toBe('')
        for (const crew of [false, true]) {
          const request = issueRequest({ issue, project: 'team/median', crew })
          const whole = request.kind === 'task' ? request.task.text : request.spec.text
          expect(whole.isWellFormed()).toBe(true)
          const mark = /the two lines with ([0-9a-f]{16})\./.exec(whole.slice(whole.indexOf('This is issue 7 of')))?.[1]
          expect(mark).toBeDefined()
          expect(whole.split(`, ${mark} -----\n`)).toHaveLength(2)
          expect(whole.endsWith(`\n----- end of issue 7, ${mark} -----`)).toBe(true)
        }
      },
    }
  },
}
