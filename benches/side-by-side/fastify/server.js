// fastify with its usual plugins: API keys in SQLite, a quota for each minute of a key with its headers, validation and
// serialization by schemas, and a log line in JSON for each request. `node server.js DATABASE PORT`

import { createHash } from 'node:crypto'
import rateLimit from '@fastify/rate-limit'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import pino from 'pino'

const [database, port] = process.argv.slice(2)
const db = new Database(database, { timeout: 3000 })
db.pragma('journal_mode = WAL')
const findKey = db.prepare(
  `SELECT k.id FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
   WHERE s.hash = ? AND k.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > unixepoch())`
).pluck()
const findPet = db.prepare('SELECT id, name, category_id AS categoryId, status FROM pets WHERE id = ?')

// Lines are written in blocks, as pino's documentation advises for speed.
const log = pino.destination({ dest: 2, sync: false, minLength: 4096 })
const app = Fastify({ loggerInstance: pino({ level: 'info' }, log), disableRequestLogging: true })

app.decorateRequest('keyId', null)
app.addHook('onRequest', async (request, reply) => {
  const secret = request.headers['x-api-key']
  request.keyId = secret && findKey.get(createHash('sha256').update(secret).digest())
  if (!request.keyId) return reply.code(401).send()
})
app.addHook('onResponse', async (request, reply) => {
  const { method, url } = request
  request.log.info({ method, url, status: reply.statusCode, latency: reply.elapsedTime, key: request.keyId }, 'request')
})
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: '1 minute',
  hook: 'preHandler',
  keyGenerator: (request) => request.keyId
})

const petById = {
  params: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer', minimum: 1 } }
  },
  response: {
    200: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string' },
        categoryId: { type: 'integer' },
        status: { type: 'string' }
      }
    }
  }
}
app.get('/pets/:id', { schema: petById }, (request, reply) => {
  const pet = findPet.get(request.params.id)
  return pet ?? reply.code(404).send()
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
