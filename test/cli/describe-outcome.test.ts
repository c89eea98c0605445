import { describe, expect, test } from 'vitest'
import { describeOutcome } from '../../src/cli/screen/describe-outcome.ts'
import { createScreen, widthOf } from '../../src/cli/screen/screen.ts'
import type { Outcome } from '../../src/security/attack.ts'
import { attacks } from '../../src/security/attacks.ts'
import { createTerminal } from './terminal.ts'

const held: Outcome = {
  row: 'reads',
  attack: 'the architect searches where there is a link and a second name of another’s file',
  expected: 'nothing found',
  observed: 'nothing found',
  status: 'ok',
}
const failed: Outcome = { ...held, attack: 'an agent reads ../', observed: 'read "root\u001b[2J:x"', status: 'FAILED' }
const notTried: Outcome = { ...held, observed: null, status: 'not applicable', reason: 'there is nothing to try' }

const screen = (columns: number) => createScreen(createTerminal(columns).stream, { NO_COLOR: '1' })
const shown = (columns: number, outcome: Outcome, rowBefore?: string) =>
  describeOutcome(screen(columns), outcome, rowBefore).split('\n')

describe('the outcome of an attack', () => {
  test('stands below the words of its row, in columns', () => {
    expect(shown(80, held)).toEqual([
      '',
      'reads: A link, a hard link, `..`, a pipe or a device in what a read tool is',
      'asked for; a link from one workspace into another',
      'ok      the architect searches where there is   nothing found',
      '        a link and a second name of another’s',
      '        file',
    ])
    expect(shown(120, held, 'reads')).toEqual([
      'ok      the architect searches where there is a link and a second     nothing found',
      '        name of another’s file',
    ])
  })

  test('says what was expected and observed where they differ, without what would steer the terminal', () => {
    expect(shown(80, failed, 'reads')).toEqual([
      'FAILED  an agent reads ../                      expected: nothing found',
      '                                                observed: read "root:x"',
    ])
  })

  test('says why it was not tried', () => {
    expect(shown(120, notTried, 'reads')[0]).toMatch(
      /^n\/a {5}the architect .* not applicable: there is nothing to try$/,
    )
  })

  test.each([80, 120])('is never wider than a terminal of %i columns', (columns) => {
    const lines = attacks.flatMap(({ row, name, expected }) =>
      (['ok', 'FAILED'] as const).flatMap((status) =>
        shown(columns, { row, attack: name, expected, observed: expected, status }),
      ),
    )
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
  })
})
