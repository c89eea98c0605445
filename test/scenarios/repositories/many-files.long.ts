import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, plan, write } from '../world/fixture.ts'
import { launch } from '../world/process.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** Files in many folders, since a large folder is slow; names of 200 characters. */
const many = `perl -e 'my $name = "x" x 200; for my $d (1..40) { mkdir "d$d"; for my $f (1..5000) { open my $h, ">", "d$d/$name$f"; } }'`

test('an agent that creates 200,000 files does not raise the memory use of Drydock, is refused them, and continues when they are gone', async () => {
  fixture = await createFixture({ env: { NODE_OPTIONS: '--max-old-space-size=64' } })
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      write('new\n'),
      call('run_command', { command: many }),
      change(),
      call('run_command', { command: 'rm -r d*' }),
      change(),
    ],
  })
  const args = ['task', 'say new', '--model', model, '--json', '--repo', fixture.repo]
  const done = await launch(args, { env: fixture.env }).ended
  expect(done.exitCode, done.stderr).toBe(0)
  const submitted = done.events.filter(({ tool }) => tool === 'submit_change').map(({ ok }) => ok)
  expect(submitted).toEqual([false, true])
})
