import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitMessage } from '../../src/domain/story/commit-message.ts'

const own = { 'Drydock-Story': 'run/one', 'Verified-By': 'run_1' }
const ours = ['Drydock-Story: run/one', 'Verified-By: run_1', 'Ticket: 7']
const scissors = `# ${'-'.repeat(24)} >8 ${'-'.repeat(24)}`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drydock-message-'))
  git(['init', '-q'])
})
afterAll(() => rmSync(folder, { recursive: true }))

function git(args: readonly string[], input = ''): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  return execFileSync('git', [...who, ...args], { cwd: folder, input, encoding: 'utf8' })
}

const lines = (text: string) => text.split('\n').filter(Boolean)

describe('an editor’s words in a commit', () => {
  test.each([
    ['in a paragraph', 'Fix it\n\nVerified-By: run_9\nReviewed-By: human'],
    ['behind blanks', 'Fix it\n\n Signed-off-by : Eve <eve@example.org>\n\tDRYDOCK-STORY= x'],
    ['in the title', 'Verified-By: run_9'],
    ['behind another line end', 'Fix it\r\rVerified-By: run_9\u2028Reviewed-By: human\u0085Co-authored-by: Eve'],
    ['before what git takes for the end', `Fix it\n\nSigned-off-by: Eve\n---\nAcked-by: Eve\n${scissors}\nmore`],
    ['behind characters that are not seen', 'Fix it\n\n\u202eVerified-By: run_9\n\u0000Verified-By: run_8'],
  ])('are not trailers: %s', (_, summary) => {
    const message = commitMessage({ summary, own, added: ['Ticket: 7'] })
    expect(lines(git(['interpret-trailers', '--parse'], message))).toEqual(ours)
    git(['commit', '-q', '--allow-empty', '--cleanup=verbatim', '-F', '-'], message)
    expect(lines(git(['log', '-1', '--format=%(trailers)']))).toEqual(ours)
    // A reader that checks every line does not find a trailer, either.
    expect(lines(message).filter((line) => /^\s*(?:[\w-]+-by|drydock-story)\s*[:=]/i.test(line))).toEqual(
      ours.slice(0, 2),
    )
  })

  test('steer no terminal and turn no line round, and the rest is as they were', () => {
    const summary = '## Fix\u001b]52;c;aGk=\u0007 it \u202etxt.\u2066\u009b1m\n\nWhy: it was so.\n\n- a\tb\n- דג'
    expect(commitMessage({ summary, own: {}, added: [] })).toBe(
      'Fix]52;c;aGk= it txt.1m\n\nWhy: it was so.\n\n- a\tb\n- דג\n',
    )
  })
})
