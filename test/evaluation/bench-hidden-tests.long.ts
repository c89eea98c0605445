import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, change, plan, write } from '../scenarios/world/fixture.ts'
import { createBenchWorld, hiddenWord } from './bench-world.ts'

/** Long enough for a busy machine. */
const minutes = 180_000

/**
 * Searches everything that an agent can read for the words of the repository and of hidden tests.
 */
const lookEverywhere = [
  'places="/work /tmp /home /root /var /etc /run /opt /srv /mnt $PWD"',
  // Collected first, since a search in a pipe would find its own command line.
  '{ cat /proc/*/environ /proc/*/cmdline; git cat-file --batch-all-objects --batch; } > /dev/shm/all 2>/dev/null',
  'for word in HIDDEN FUTURE VISIBLE; do',
  '  found=no',
  '  grep -rqs "$word"_CANARY $places && found=yes',
  '  grep -aqs "$word"_CANARY /dev/shm/all && found=yes',
  '  echo "$word $found" >> found.txt',
  'done',
].join('\n')

test(
  'an agent sees neither the hidden tests nor what came after the base',
  async () => {
    const world = await createBenchWorld({ files: { 'seen.txt': `${['VISIBLE', 'CANARY'].join('_')}\n` } })
    const base = await world.git('rev-parse', 'HEAD')
    await world.write({ 'later.txt': `${['FUTURE', 'CANARY'].join('_')}\n` })
    await world.git('add', '-A')
    await world.git('commit', '-qm', 'after the base')
    await world.git('tag', 'later')
    await world.suiteOf({ ...world.task, base })
    const look = call('run_command', { command: lookEverywhere })
    const model = await world.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [look, write('new\n'), change()],
    })
    expect((await world.bench('--model', model)).exitCode).toBe(0)
    const [record] = await world.records()
    expect(record).toMatchObject({ verdict: 'resolved', base })
    const patch = await readFile(join(world.out, 'patches', 'say-new.task.1.patch'), 'utf8')
    expect(patch).toContain('\n+HIDDEN no\n+FUTURE no\n+VISIBLE yes\n')
    // The events have everything that the models were told. The hidden test ran, and they learned
    // nothing of it.
    expect(await readFile(join(world.out, 'events', 'say-new.task.1.jsonl'), 'utf8')).not.toContain(hiddenWord)
  },
  minutes,
)
