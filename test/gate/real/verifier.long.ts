import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({
    'value.txt': 'old\n',
    'src/a.txt': 'a\n',
    '.gitignore': 'node_modules/\n*.ignored\n',
  })
})
afterAll(() => world.close())

describe('the environment of a step', () => {
  test('has a TMPDIR that is short enough for a socket, and is the tmp of ARTIFACT_DIR', async () => {
    const script = `const path = require('path').join(require('os').tmpdir(), 'some-test-server.sock'); require('net').createServer().listen(path, () => { require('fs').writeFileSync(process.env.ARTIFACT_DIR + '/logs/there', require('fs').readdirSync(process.env.ARTIFACT_DIR + '/tmp').join()); process.exit(0) })`
    const artifacts = join(world.artifacts, 'l'.repeat(100))
    const answer = await world.ask({
      steps: [{ command: `node -e "${script}" && cat "$ARTIFACT_DIR/logs/there"` }],
      artifacts,
    })
    expect([answer.status, answer.tail_log]).toEqual(['PASS', 'some-test-server.sock'])
  })

  test('lets programs colour what they print, which is shown without', async () => {
    const answer = await world.ask(
      `node -e "console.log(require('util').styleText('red', 'red', { validateStream: false }))"; printf '\\033[31mtoo\\033[0m'`,
    )
    expect(answer.tail_log).toBe('red\ntoo')
    expect(world.read(answer.run_id, 'logs/combined.log')).toContain('\u001b[31m')
  })

  test('lets programs that split options as a shell does find a folder with spaces in its name', async () => {
    const answer = await world.ask(`eval "set -- $PYTEST_ADDOPTS"; echo "$#"; echo "$2"`)
    expect(world.artifacts).toContain(' ')
    expect(answer.tail_log).toBe(`2\ncache_dir=${world.folder(answer.run_id)}/cache/pytest`)
  })
})

test('two verifications at once, each in its checkout, do not disturb each other', async () => {
  writeFileSync(join(world.repository, 'value.txt'), 'other\n')
  const other = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  // Each waits until it knows that the other runs too.
  const command = `cat value.txt; sleep 0.5; cat value.txt; ls "$ARTIFACT_DIR/.."`
  const answers = await Promise.all([
    world.ask({ checkout: 'coder-001', steps: [{ command }] }),
    world.ask({ checkout: 'coder-002', commit: other, steps: [{ command }] }),
  ])
  expect(answers.map(({ status, tail_log }) => ({ status, tail_log }))).toEqual([
    { status: 'PASS', tail_log: `old\nold\n${answers[0]?.run_id}` },
    { status: 'PASS', tail_log: `other\nother\n${answers[1]?.run_id}` },
  ])
  const [first, second] = answers.map(({ manifest }) => manifest)
  expect(Date.parse(second?.timestamp_start ?? '')).toBeLessThan(Date.parse(first?.timestamp_end ?? ''))
})
