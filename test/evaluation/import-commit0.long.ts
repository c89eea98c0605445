import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFixture } from '../scenarios/world/fixture.ts'
import { writeIn } from './bench-world.ts'
import { importInto } from './import-world.ts'

const minutes = 60_000

test(
  'a library of Commit0 becomes a spec whose gold is its reference commit',
  async () => {
    const fixture = await createFixture({
      files: { 'lib/a.txt': 'pass\n', 'tests/check.sh.txt': 'grep -qx done lib/a.txt\n' },
    })
    const base = await fixture.git('rev-parse', 'HEAD')
    await fixture.write({ 'lib/a.txt': 'done\n', 'value.txt': 'new\n' })
    await fixture.git('commit', '-qam', 'reference')
    const row = {
      instance_id: 'owner/repo',
      repo: 'owner/repo',
      original_repo: 'o/r',
      src_dir: 'lib',
      setup: { python: '3.12' },
      base_commit: base,
      reference_commit: 'main',
      test: { test_cmd: 'sh -e tests/check.sh.txt', test_dir: 'tests' },
    }
    await writeIn(fixture.folder, {
      'checkout/commit0.jsonl': `${JSON.stringify(row)}\n`,
      'config.json': '{ "verification": { "steps": [{ "name": "a", "command": "true" }], "assurance": "fast" } }',
    })
    const imported = await importInto(
      fixture,
      'commit0',
      '--repos',
      fixture.folder,
      '--config',
      join(fixture.folder, 'config.json'),
    )
    expect(imported.suite.tasks).toMatchObject([
      {
        id: 'owner__repo',
        base,
        mode: 'run',
        gold: { patch: 'gold/owner__repo.patch' },
        hidden: {
          files: { 'tests/check.sh.txt': 'hidden/owner__repo/tests/check.sh.txt' },
          command: 'sh -e tests/check.sh.txt tests',
        },
      },
    ])
    const { exitCode, stdout } = await imported.selfTest()
    expect(stdout).toContain('Self-test: 2 of 2 as expected.')
    expect(exitCode).toBe(0)
    await fixture.remove()
  },
  minutes,
)
