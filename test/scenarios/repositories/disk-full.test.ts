import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { createFixture, type Fixture, greenLanes } from '../world/fixture.ts'

const bin = fileURLToPath(new URL('../../../bin/drydock', import.meta.url))

let fixture: Fixture
afterEach(() => fixture.remove())

/**
 * In a mount namespace with a small disk for the state: leaves 240 KiB free, runs a task, makes space
 * and runs it again. Prints exit codes and what SQLite says of the state.
 */
const script = `
mount -t tmpfs -o size=24m tmpfs "$DRYDOCK_HOME"
cd "$REPO"
head -c $(($(df -k --output=avail "$DRYDOCK_HOME" | tail -1) - 240))k /dev/zero > "$DRYDOCK_HOME/fill"
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
echo "task $task ($(grep -c "no space left" "$HOME/said") told), then $later, state $state"`

/** What the script prints, in a mount namespace of its own. */
async function onSmallDisk(text: string, lanes: Parameters<Fixture['replay']>[0]): Promise<string> {
  for (const name of ['HOME', 'DRYDOCK_HOME']) await mkdir(fixture.env[name] ?? '', { recursive: true })
  const env = { ...fixture.env, REPO: fixture.repo, BIN: bin, MODEL: await fixture.replay(lanes) }
  const namespace = ['--user', '--map-root-user', '--mount', '--', 'sh', '-c', text]
  return (await promisify(execFile)('unshare', namespace, { env })).stdout.trim()
}

test('a full disk is a clear error, and the work goes on once there is space', async () => {
  fixture = await createFixture({
    env: { PATH: `${fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url))}:${process.env.PATH}` },
  })
  expect(await onSmallDisk(script, greenLanes)).toMatch(/^task 4 \([1-9] told\), then 0, state ok$/)
})
