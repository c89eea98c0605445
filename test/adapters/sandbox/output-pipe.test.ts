import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openOutputPipe } from '../../../src/adapters/sandbox/output-pipe.ts'

test('pipes that are opened at once are separate, and each ends when it is released', async () => {
  const opened = await Promise.all(Array.from({ length: 9 }, () => openOutputPipe()))
  const pipes = opened.map((each) => {
    if (!each.ok) throw new Error(each.error.errorMessage)
    return each.value
  })
  for (const [i, { writeFd }] of pipes.entries()) writeSync(writeFd, `of ${i}`)
  const first = pipes[0]
  first?.release()
  expect(first && (await text(first.output))).toBe('of 0')
  for (const { release } of pipes.slice(1)) release()
  const others = await Promise.all(pipes.slice(1).map(({ output }) => text(output)))
  expect(others).toEqual(Array.from({ length: 8 }, (_, i) => `of ${i + 1}`))
})
