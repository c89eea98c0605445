import { expect, test } from 'vitest'
import { scriptsRunBy, updatingFlags } from '../../../src/domain/gate/updating-flags.ts'

test.each([
  ['npx jest -u', '-u'],
  ['jest --ci --updateSnapshot', '--updateSnapshot'],
  ['jest --ci=false', '--ci=false'],
  ['UPDATE_SNAPSHOTS=1 npm test', 'UPDATE_SNAPSHOTS=1'],
  ['python -m pytest --snapshot-update', '--snapshot-update'],
  ['pytest --force-regen', '--force-regen'],
  ['cargo insta accept', 'insta accept'],
  ['cargo insta test --accept', '--accept'],
  ['INSTA_UPDATE=always cargo test', 'INSTA_UPDATE=always'],
  ['go test ./... -update', '-update'],
  ['npm run build && ./node_modules/.bin/vitest run -u', '-u'],
  ['vitest run --update', '--update'],
  ['node --test --test-update-snapshots', '--test-update-snapshots'],
  ['eslint . --fix', '--fix'],
  ['sh -c "prettier --write ."', '--write'],
  ['npm test -- -u', '-u'],
])('%s rewrites what it checks by %s', (command, flag) => {
  expect(updatingFlags(command)).toEqual([flag])
})

test.each([
  'python -u test.py',
  'set -eu; sort -u names | diff - expected',
  'mocha -u tdd',
  'jest --ci',
  'eslint . --fix-dry-run && eslint --fix=false .',
  'INSTA_UPDATE=no cargo test',
  'UPDATE_SNAPSHOTS=0 npm test',
  'cargo test --locked',
  'npm test -- --reporter=junit',
])('%s rewrites nothing', (command) => {
  expect(updatingFlags(command)).toEqual([])
})

test('a command names the scripts that it runs, with those before and after them', () => {
  expect(scriptsRunBy('CI=1 npm test')).toEqual(['pretest', 'test', 'posttest'])
  expect(scriptsRunBy('npm ci && npm run --silent lint')).toContain('lint')
  expect(scriptsRunBy('yarn check')).toContain('check')
  expect(scriptsRunBy('npm ci; node --test')).toEqual([])
})
