// A reader of chat streams in JavaScript: one address a line on standard input, one line of JSON a reading on standard
// output, in the same order; the readings go on side by side. With an address as the argument, that one reading.
//
//   node reader.mjs fetch|openai [--broken] [--counts] [URL]
//
// fetch: fetch and eventsource-parser. openai: the openai package. --broken: decodes every chunk by itself, as many do.
// --counts: also tells how many events and chunks there were. A reading ends with the terminal event; a stream without
// it, or without a finish, is an error.

import { createInterface } from 'node:readline'
import { createParser } from 'eventsource-parser'
import OpenAI from 'openai'

const SIDE_BY_SIDE = 8
const [kind, ...rest] = process.argv.slice(2)
const broken = rest.includes('--broken')
const counting = rest.includes('--counts')
const once = rest.find((argument) => !argument.startsWith('--'))
const timeout = Number(process.env.READER_TIMEOUT_MS ?? 20_000)
const asked = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] }

async function withFetch(url, seen) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(asked),
    signal: AbortSignal.timeout(timeout),
  })
  const parser = createParser({
    onEvent({ data }) {
      if (seen.done) return
      if (counting) seen.events += 1
      if (data === '[DONE]') seen.done = true
      else take(seen, JSON.parse(data))
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    if (counting) seen.chunks += 1
    parser.feed(broken ? new TextDecoder().decode(chunk) : decoder.decode(chunk, { stream: true }))
    if (seen.done) break
  }
}

async function withOpenAI(url, seen) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-none', maxRetries: 0 })
  const signal = AbortSignal.timeout(timeout)
  const stream = await client.chat.completions.create(asked, { signal })
  for await (const chunk of stream) {
    if (counting) seen.events += 1
    take(seen, chunk)
  }
  signal.throwIfAborted() // the package ends the stream quietly when its signal fires
}

function take(seen, record) {
  if (record.error) throw new Error('the stream says that it failed')
  for (const choice of record.choices ?? []) {
    seen.text += choice.delta?.content ?? ''
    seen.finish = choice.finish_reason ?? seen.finish
  }
}

async function read(url) {
  const seen = { text: '', finish: null, done: false, error: null, ...(counting && { events: 0, chunks: 0 }) }
  try {
    await (kind === 'openai' ? withOpenAI : withFetch)(url, seen)
  } catch (error) {
    const causes = []
    for (let each = error; each; each = each.cause) causes.push(each.code ? `${each.name} ${each.code}` : each.name)
    seen.error = causes.join(' < ')
  }
  if (!seen.error && !(seen.finish && (kind === 'openai' || seen.done))) seen.error = 'no terminal event'
  return JSON.stringify(seen)
}

async function batch() {
  const under_way = new Set()
  let told = Promise.resolve()
  for await (const line of createInterface({ input: process.stdin })) {
    const reading = read(line.trim()).finally(() => under_way.delete(reading))
    under_way.add(reading)
    told = told.then(async () => console.log(await reading))
    if (under_way.size === SIDE_BY_SIDE) await Promise.race(under_way)
  }
  await told
}

if (once) console.log(await read(once))
else await batch()
