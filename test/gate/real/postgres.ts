import { readdirSync } from 'node:fs'

/** Folder of the newest server in Debian, which is not on the PATH. */
const root = '/usr/lib/postgresql'
const newest = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))[0]
const programs = `${root}/${newest}/bin`

/** The machine's PostgreSQL as a service. */
export const postgres = {
  name: 'postgres',
  command: `${programs}/initdb -D "$SERVICE_DIR/data" -U app -A trust -N && exec ${programs}/postgres -D "$SERVICE_DIR/data" -k "$SERVICE_DIR" -c fsync=off`,
  ports: [5432],
  ready: { command: `${programs}/pg_isready -h 127.0.0.1 -U app` },
  env: { DATABASE_URL: 'postgres://app@127.0.0.1:5432/postgres' },
  timeoutSec: 60,
}
