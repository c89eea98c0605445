import pg from 'pg'

/** Ends one session of Drydock that is in the middle of a transaction. Returns how many: 1 or 0. */
export async function endOne(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'fault' })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ ended: number }>(
    `with open as (select pid from pg_stat_activity where application_name = 'drydock' and backend_xid is not null
        or application_name = 'drydock' and state like 'idle in transaction%' limit 1)
      select count(pg_terminate_backend(pid))::int as ended from open`,
  )
  await client.end()
  return rows[0]?.ended ?? 0
}
