import { expect, test } from 'vitest'
import { filesRunBy } from '../../../src/domain/gate/files-run-by.ts'

test.each([
  ['node runner.mjs', ['runner.mjs']],
  ['cd x && /usr/bin/node --no-warnings ./check.js all.txt', ['check.js']],
  ['python3.12 -u tools/check.py; sh ./a.sh', ['tools/check.py', 'a.sh']],
  ['./verify.exe --all', ['verify.exe']],
  ['make && ./check/all', ['check/all']],
  ['node --test test/a.test.js', ['test/a.test.js']],
  ['python -m pytest tests/a.py', []],
  ['node -e "1" a.js', []],
  ['python main.py --selftest', []],
  ['node src/index.js', []],
  ['npm test', []],
  ['gcc main.c check.c', []],
  ['eslint a.js', []],
])('a command runs these files: %s', (command, files) => {
  expect(filesRunBy(command)).toEqual(files)
})

test('a command of any length is read in time', () => {
  const started = performance.now()
  for (const part of ['node ', 'node - ', './', '; ', 'python -', 'node --x \t'])
    filesRunBy(part.repeat(200_000 / part.length))
  expect(performance.now() - started).toBeLessThan(10_000)
})
