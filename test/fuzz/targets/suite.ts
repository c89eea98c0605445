import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { readSuite } from '../../../src/evaluation/suite/read-suite.ts'
import { expectClearError } from '../clear-error.ts'
import { damaged, mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly text: string
}

/** Without its repository, since only the text is tested here, and git is not started. */
const whole = {
  name: 'all',
  tasks: [
    {
      id: 'a',
      repo: 'none',
      base: 'v1',
      spec: 'spec.md',
      mode: 'run',
      config: 'config.json',
      timeout_sec: 60,
      hidden: [{ files: { 'test/a.sh': 'a.sh' }, command: 'sh test/a.sh', timeout_sec: 5 }],
      answer: 'Yes.',
      gold: {
        stories: [
          { id: 'one', patch: 'one.patch' },
          { id: 'two', files: { a: 'a.sh' }, depends_on: ['one'], after_return: { a: 'a.sh' } },
        ],
        returns: 1,
      },
      wrong: { bad: { patch: 'one.patch', expect: 'false_pass' } },
    },
  ],
}
const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

const inputs: fc.Arbitrary<Input> = fc.record({
  text: fc.oneof(damaged(fc.constant(whole)).map(asText), mangled(fc.constant(asText(whole))), nasty),
})

/** `suite.json` of `drydock bench`: the repository is missing, so every text is an error. */
export const suite: FuzzTarget<Input> = {
  name: 'suite',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'drydock-fuzz-'))
    mkdirSync(join(folder, 'sub'))
    for (const name of ['spec.md', 'a.sh', 'one.patch']) writeFileSync(join(folder, name), 'x\n')
    writeFileSync(join(folder, 'config.json'), '{ "verification": { "steps": [{ "name": "a", "command": "true" }] } }')
    const file = join(folder, 'suite.json')
    return {
      inputs,
      async check({ text }) {
        writeFileSync(file, text)
        const error = await readSuite(folder, process.env.PATH).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        if (!(error instanceof DrydockError)) throw error ?? new Error('a suite without a repository was read')
        expect(error.code).toBe('bad_suite')
        expectClearError(error.message, [file])
        expectClearError(error.todo)
        for (const line of error.message.split('\n')) {
          expect(line.startsWith(`${file}: `)).toBe(true)
          expect(line).not.toMatch(/\p{Cc}/u)
        }
      },
      async close() {
        rmSync(folder, { recursive: true })
      },
    }
  },
}
