// examples/guides/claims-from-a-service/claim.mjs
const claims = process.env.CLAIMS;
const headers = { authorization: `Bearer ${process.env.TOKEN}`, "content-type": "application/json" };

/** Claims seats for an order. Calling it again for the same order claims nothing more. */
async function claimSeats(order, amount) {
  const consumerRef = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "zeta-corp" };
  const claim = {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: order },
    spec: { consumerRef, requests: [{ resourceType: "crm.example.com/seats", amount }] },
  };
  const response = await fetch(claims, { method: "POST", headers, body: JSON.stringify(claim) });
  if (!response.ok && response.status !== 409) throw new Error((await response.json()).message);
  await response.body.cancel();
  return await outcomeOf(order);
}

async function outcomeOf(name) {
  const watch = await fetch(`${claims}?watch=true&timeoutSeconds=30&fieldSelector=metadata.name=${name}`, { headers });
  let rest = "";
  for await (const part of watch.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const { object } = JSON.parse(line);
      const granted = object.status?.conditions?.find(({ type }) => type === "Granted");
      if (granted && granted.reason !== "PendingEvaluation") return granted;
    }
  }
  throw new Error("no decision in 30 seconds; it is safe to call again");
}

const release = (order) => fetch(`${claims}/${order}`, { method: "DELETE", headers });

console.log(await claimSeats("order-1004", 4));
const { status, message } = await claimSeats("order-1005", 1);
console.log(status, message);
await Promise.all([release("order-1004"), release("order-1005")]);
