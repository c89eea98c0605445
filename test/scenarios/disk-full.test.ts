import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from './fixture.ts'

const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))

let fixture: Fixture
afterEach(() => fixture.remove())

/**
 * In a mount namespace with a small disk for the state: leaves so many KiB free, runs a task, makes space again and goes on. Prints exit codes and
 * what SQLite says of the state.
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

test('a full disk is a clear error, and the work goes on once there is space', async () => {
  fixture = await createFixture({
    env: { PATH: `${fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))}:${process.env.PATH}` },
  })
  for (const name of ['HOME', 'DRYDOCK_HOME']) await mkdir(fixture.env[name] ?? '', { recursive: true })
  const env = { ...fixture.env, REPO: fixture.repo, BIN: bin, MODEL: await fixture.replay(greenLanes) }
  const namespace = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', script]
  const { stdout } = await promisify(execFile)('unshare', namespace, { env })
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(4)
  for (const line of lines) expect(line).toMatch(/^\d+: task 4 \([1-9] told\), then 0, state ok$/)
}, 120_000)
