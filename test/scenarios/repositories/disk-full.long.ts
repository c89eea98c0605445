import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { call, change, createFixture, type Fixture, greenLanes, passWhenNew, plan, write } from '../world/fixture.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

let fixture: Fixture
afterEach(() => fixture.remove())

/**
 * In a mount namespace with a small disk for the state: leaves this many KiB free, runs a task,
 * frees space again and resumes. Prints exit codes and SQLite's check of the state.
 */
const script = `
mount -t tmpfs -o size=24m tmpfs "$DRYDOCK_HOME"
cd "$REPO"
for free in 0 80 240 400; do
  find "$DRYDOCK_HOME" -mindepth 1 -delete
  "$BIN" verify >/dev/null 2>&1
  head -c $(($(df -k --output=avail "$DRYDOCK_HOME" | tail -1) - free))k /dev/zero > "$DRYDOCK_HOME/fill"
  "$BIN" task "say new" --model "$MODEL" > "$HOME/said" 2>&1
  task=$?
  rm "$DRYDOCK_HOME/fill"
  "$BIN" status > "$HOME/status" 2>&1
  known=$(grep -c say-new "$HOME/status")
  [ "$known" = 0 ] && "$BIN" task "say new" --model "$MODEL" > "$HOME/later" 2>&1 || "$BIN" resume > "$HOME/later" 2>&1
  later=$?
  for db in "$DRYDOCK_HOME"/*/drydock.db; do
    state=$(node -e 'const {DatabaseSync}=require("node:sqlite");console.log(new DatabaseSync(process.argv[1]).prepare("pragma integrity_check").get().integrity_check)' "$db")
  done
  echo "$free: task $task ($(grep -c "no space left" "$HOME/said") told), then $later, state $state"
done`

/** The script's output, in a separate mount namespace. */
async function onSmallDisk(text: string, lanes: Parameters<Fixture['replay']>[0]): Promise<string> {
  for (const name of ['HOME', 'DRYDOCK_HOME']) await mkdir(fixture.env[name] ?? '', { recursive: true })
  const env = { ...fixture.env, REPO: fixture.repo, BIN: bin, MODEL: await fixture.replay(lanes) }
  const namespace = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', text]
  return (await promisify(execFile)('unshare', namespace, { env })).stdout.trim()
}

test('a full disk is a clear error, and the work continues once there is space', async () => {
  fixture = await createFixture({
    env: { PATH: `${fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url))}:${process.env.PATH}` },
  })
  const lines = (await onSmallDisk(script, greenLanes)).split('\n')
  expect(lines).toHaveLength(4)
  for (const line of lines) expect(line).toMatch(/^\d+: task 4 \([1-9] told\), then 0, state ok$/)
})

/**
 * Fills the disk except for a mebibyte, which is less than a command must leave, and holds the
 * space.
 */
const take = (file: string) =>
  `head -c $(($(df -k --output=avail . | tail -1) - 1024))k /dev/zero > ${file}; echo has it; tail -f /dev/null`

const watched = `
mount -t tmpfs -o size=64m tmpfs "$DRYDOCK_HOME"
cd "$REPO"
"$BIN" task "say new" --model "$MODEL" > "$HOME/said" 2>&1
echo "task $?"
"$BIN" log -v --lane editor/task/CODING | grep -aom1 "The disk was running full.*anything else."
echo new take > value.txt
"$BIN" verify --json > "$HOME/verified"
echo "verify $?; $(($(df -k --output=avail "$DRYDOCK_HOME" | tail -1) / 10240))0 MiB are free"
grep -ao '"error_type":"[^"]*","error_message":"[^"]*"' "$HOME/verified"`

test('a command that leaves no space to anybody is ended: the agent is told, and a step has no answer', async () => {
  const hungry = {
    name: 'hungry',
    command: `if grep -q take value.txt; then cd $ARTIFACT_DIR/build; ${take('all')}; fi`,
  }
  fixture = await createFixture({ steps: [passWhenNew, hungry] })
  const lines = await onSmallDisk(watched, {
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      call('run_command', { command: take('all') }),
      call('run_command', { command: 'rm all' }),
      write('new\n'),
      change(),
    ],
  })
  const taken = String.raw`The disk was running full: free space fell from 6\d\.\d MiB to [0-3]\.\d MiB while the command ran\. A command must leave 3\.2 MiB free here, so it was ended`
  expect(lines.split('\n')).toEqual([
    'task 0',
    expect.stringMatching(
      new RegExp(`^${taken}. Delete what you do not need of what it wrote, before anything else.$`),
    ),
    'verify 4; 60 MiB are free',
    expect.stringMatching(new RegExp(`^"error_type":"resource_exhaustion","error_message":"${taken}"$`)),
  ])
})
