import { describe, expect, test } from 'vitest'
import { createOutput } from '../../src/cli/screen/output.ts'
import { paintDiff } from '../../src/cli/screen/paint-diff.ts'
import { createScreen, widthOf } from '../../src/cli/screen/screen.ts'
import { threadLines } from '../../src/cli/screen/thread.ts'
import { createTerminal } from './terminal.ts'

const screenOf = (columns: number | null, env: Record<string, string> = {}) =>
  createScreen(createTerminal(columns).stream, env)

describe('the thread of a chat', () => {
  test('has a bar before every line that somebody said: none looks like the head of another message', () => {
    const head = '#9  human  one  2031-02-03 04:05'
    const content = ['Hear this.', '', ...['\n', '\r', '\u2028', '\u0085', '\v'].map((end) => `x${end}${head}`)].join(
      '\n',
    )
    const message = { id: '1', run: 'r', story: 'one', agent_id: 'editor', content, reply_to: null, post_type: 'chat' }
    const stored = { ...message, timestamp: '2031-02-03T04:05:06.000Z' } as const
    for (const columns of [null, 30]) {
      const thread = threadLines(screenOf(columns, { NO_COLOR: '1' }), [stored] as never, {
        waiting: new Map(),
        unused: new Map(),
      })
      const [first, ...rest] = thread.split(/[\n\r\v\u0085\u2028]/)
      expect(first).toBe('#1  editor  one  2031-02-03 04:05')
      expect(rest.filter((line) => !line.startsWith('│'))).toEqual([])
    }
  })
})

test('a JSON line holds nothing that steers a terminal, and is the same JSON', () => {
  const event = { type: 'message', content: 'a\u009b1mb\u202ec\u2028d\u007f\u061ce "\\u202e' }
  const stdout = createTerminal(80)
  createOutput({ env: {}, stdout: stdout.stream, stderr: createTerminal(80).stream }, { json: true }).emit(event)
  expect(stdout.written()).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}|\u2028/u)
  expect(JSON.parse(stdout.written())).toEqual(event)
})

test('only Drydock controls the terminal, whatever the origin of the words', () => {
  const evil = 'a\u001b]0;title\u0007b\u001b[2Jc\rd\u009b1me\u202ef\u001b[8mg'
  for (const columns of [80, null]) {
    const terminal = createTerminal(columns)
    const { stream } = terminal
    const output = createOutput({ env: {}, stdout: stream, stderr: stream }, { json: false })
    output.say(`${output.screen.paint('good', 'PASS')} of ${evil}`)
    const told = columns === null ? `PASS of ${evil}\n` : '\u001b[32mPASS\u001b[39m of abcdefg\n'
    expect(terminal.written()).toBe(told)
  }
})

describe('a terminal', () => {
  test('gets a line cut to its width, with wide characters counted as two', () => {
    const screen = screenOf(20)
    expect(screen.fit('short')).toBe('short')
    expect(screen.fit('exactly twenty chars')).toBe('exactly twenty chars')
    expect(screen.fit('this is longer than twenty')).toBe('this is longer than…')
    expect(screen.fit('this is longer than twenty', 10)).toBe('this is l…')
    for (const text of ['作業作業作業作業作業作業', '🚀'.repeat(12), 'e\u0301'.repeat(30)]) {
      expect(widthOf(screen.fit(text))).toBeLessThanOrEqual(20)
      expect(screen.fit(text).endsWith('…')).toBe(true)
    }
  })

  test('gets prose broken at words, with lists indented and code left alone', () => {
    const text = [
      'A sentence that is too long for one line.',
      '',
      '- an entry that is too long as well',
      '```',
      'code that is longer than the terminal is wide',
      '```',
      'averyveryverylongwordthatnothingbreaks',
    ].join('\n')
    expect(screenOf(24).prose(text).split('\n')).toEqual([
      'A sentence that is too',
      'long for one line.',
      '',
      '- an entry that is too',
      '  long as well',
      '```',
      'code that is longer than the terminal is wide',
      '```',
      'averyveryverylongwordthatnothingbreaks',
    ])
  })

  test('gets nothing that steers it', () => {
    const evil = 'a\u001b]0;title\u0007b\u001b[2J\u001b[31mc\rd\u0008e\u009b1mf\u202eg\u0000\tend\nnext'
    const screen = screenOf(80)
    for (const text of [screen.clean(evil), screen.prose(evil)]) {
      expect(text).not.toMatch(/(?![\n\t])\p{Cc}|\u202e/u)
      expect(text).toMatch(/\tend\nnext$/)
    }
    expect(screen.fit('a\u001b[31mb')).toBe('ab')
  })

  test('is coloured, unless NO_COLOR is set or it is dumb', () => {
    expect(screenOf(80).paint('good', 'PASS')).toBe('\u001b[32mPASS\u001b[39m')
    expect(screenOf(80).paint('plain', 'PASS')).toBe('PASS')
    expect(screenOf(80, { NO_COLOR: '1' }).paint('good', 'PASS')).toBe('PASS')
    expect(screenOf(80, { TERM: 'dumb' }).paint('good', 'PASS')).toBe('PASS')
    expect(screenOf(80, { TERM: 'dumb' }).live).toBe(false)
  })

  test('gets a diff whose lines are told apart', () => {
    const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@ x\n-old\n+new\n same\n'
    const painted = paintDiff(screenOf(80), diff)
    expect(painted).toContain('\u001b[31m-old\u001b[39m\n\u001b[32m+new\u001b[39m\n same')
    expect(paintDiff(screenOf(80, { NO_COLOR: '1' }), diff)).toBe(diff.trimEnd())
  })
})

test('a pipe gets every text as it is', () => {
  const screen = screenOf(null)
  const text = `- a \u001b[31mline\r that is ${'very '.repeat(30)}long`
  expect([screen.fit(text), screen.prose(text), screen.clean(text), screen.paint('bad', text)]).toEqual(
    Array(4).fill(text),
  )
  expect(paintDiff(screen, '-a\r\n+b\r\n')).toBe('-a\r\n+b\r')
  expect(screen).toMatchObject({ live: false, columns: null })
})
