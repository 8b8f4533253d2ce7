//! The markup of the pages: what is there before any script runs.

use crate::Outcome;
use crate::client::{bank, between, john};

#[tokio::test]
async fn titles_are_those_of_the_application() -> Outcome {
    let (_running, mut client) = john().await?;
    for (page, title) in [
        ("overview.htm", "Accounts Overview"),
        ("activity.htm?id=12345", "Account Activity"),
        ("transaction.htm?id=14143", "Transaction Details"),
        ("transfer.htm", "Transfer Funds"),
        ("billpay.htm", "Bill Pay"),
        ("openaccount.htm", "Open Account"),
        ("findtrans.htm", "Find Transactions"),
        ("requestloan.htm", "Loan Request"),
        ("updateprofile.htm", "Update Profile"),
        ("index.htm", "Welcome | Online Banking"),
        ("about.htm", "About Us"),
        ("services.htm", "Services"),
        ("products.htm", "Products"),
        ("locations.htm", "Locations"),
        ("forum.htm", "Forum"),
        ("sitemap.htm", "Site Map"),
        ("admin.htm", "Administration"),
        ("contact.htm", "Customer Care"),
        ("error.htm", "Error"),
    ] {
        let answer = client.get(&format!("/parabank/{page}")).await?;
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(answer.title(), format!("ParaBank | {title}"), "{page}");
        assert!(!answer.has("{{"), "{page}: a name of the template was left");
        assert!(!answer.has("~/"), "{page}: a local address was left");
    }
    Ok(())
}

#[tokio::test]
async fn the_accounts_table_is_empty_until_its_script_ran() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/overview.htm").await?;
    assert!(page.has("<table id=\"accountTable\" class=\"gradient-style\">"));
    assert!(page.has("<th>Account</th><th>Balance*</th><th>Available Amount</th>"));
    assert!(page.has("<tbody></tbody>"));
    assert!(page.has("*Balance includes deposits that may be subject to holds"));
    assert!(!page.has("12345"));
    Ok(())
}

#[tokio::test]
async fn hidden_error_blocks_are_in_the_page_from_the_start() -> Outcome {
    let (_running, mut client) = john().await?;
    for (page, block) in [
        ("overview.htm", "<div id=\"showError\" style=\"display:none\">"),
        ("activity.htm?id=12345", "<div id=\"error\" style=\"display:none\">"),
        ("transfer.htm", "<div id=\"showError\" style=\"display:none\">"),
        ("billpay.htm", "<div id=\"billpayError\" style=\"display:none\">"),
        ("openaccount.htm", "<div id=\"openAccountError\" style=\"display:none\">"),
    ] {
        let answer = client.get(&format!("/parabank/{page}")).await?;
        let rest = answer.body.split_once(block).ok_or(page)?.1;
        assert!(between(rest, "<h1", "</div>").contains("Error!"), "{page}");
    }
    Ok(())
}

#[tokio::test]
async fn no_transactions_found_stands_there_before_the_answer() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/activity.htm?id=12345").await?;
    assert!(page.has("<p id=\"noTransactions\"><b>No transactions found.</b></p>"));
    assert!(page.has("<table id=\"transactionTable\" class=\"gradient-style\">"));
    assert!(page.has("<tbody></tbody>"));
    assert!(page.has("<td id=\"accountId\"></td>"));
    assert!(page.has("<div id=\"accountDetails\" style=\"display:none\">"));
    assert!(page.has("<div id=\"accountActivity\" style=\"display:none\">"));
    let months = between(&page.body, "id=\"month\"", "</select>");
    assert_eq!(months.matches("<option").count(), 13);
    assert!(months.contains("<option value=\"March\">March</option>"));
    Ok(())
}

#[tokio::test]
async fn an_unknown_or_missing_account_is_an_error_view() -> Outcome {
    let (_running, mut client) = john().await?;
    for (query, sentence) in [
        ("?id=99999", "Could not find account # 99999"),
        ("?id=abc", "Could not find account # abc"),
        ("?id=%3Cb%3E", "Could not find account # &lt;b&gt;"),
        ("", "Missing account #"),
    ] {
        let answer = client.get(&format!("/parabank/activity.htm{query}")).await?;
        assert_eq!(answer.title(), "ParaBank | Error", "{query}");
        assert!(answer.has(&format!("<p class=\"error\">{sentence}</p>")), "{query}");
    }
    Ok(())
}

#[tokio::test]
async fn a_transaction_is_written_by_the_server() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/transaction.htm?id=14365").await?;
    for (caption, value) in [
        ("Transaction ID:", "14365"),
        ("Date:", "01-05-2026"),
        ("Description:", "Bill Payment to Bank of America Visa"),
        ("Type:", "Debit"),
        ("Amount:", "$1000.00"),
    ] {
        let row = format!("<tr><td align=\"right\"><b>{caption}</b></td><td>{value}</td></tr>");
        assert!(page.has(&row), "{caption}");
    }
    Ok(())
}

#[tokio::test]
async fn the_phone_field_has_another_id_on_every_render() -> Outcome {
    let (_running, mut client) = john().await?;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let page = client.get("/parabank/billpay.htm").await?;
        let field = between(&page.body, "<b>Phone #:</b></td><td><input ", "/>").to_owned();
        let id = between(&field, "id=\"", "\"").to_owned();
        assert_eq!(id.len(), 36, "{field}");
        assert_eq!(field, format!("id=\"{id}\" class=\"{id}\" name=\"payee.phoneNumber\""));
        seen.push(id);
    }
    assert_ne!(seen[0], seen[1]);
    Ok(())
}

#[tokio::test]
async fn bill_payment_messages_are_in_the_page_hidden() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/billpay.htm").await?;
    for sentence in [
        "Payee name is required.",
        "Address is required.",
        "Account number is required.",
        "The account numbers do not match.",
        "Please enter a valid number.",
        "Please enter a valid amount.",
    ] {
        assert!(page.has(&format!("style=\"display:none\">{sentence}</span>")), "{sentence}");
    }
    let accounts = between(&page.body, "<select name=\"fromAccountId\"", "</select>");
    assert_eq!(accounts.matches("<option").count(), 11);
    assert!(page.has("<input type=\"button\" class=\"button\" value=\"Send Payment\"/>"));
    Ok(())
}

#[tokio::test]
async fn transfer_has_duplicate_ids_bare_captions_and_empty_selects() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/transfer.htm").await?;
    assert_eq!(page.times("id=\"amount.errors\""), 2);
    assert!(page.has("From account # <select id=\"fromAccountId\" class=\"input\"></select>"));
    assert!(page.has("to account # <select id=\"toAccountId\" class=\"input\"></select>"));
    assert!(page.has("<p><b>Amount:</b> $<input type=\"text\" id=\"amount\" name=\"input\""));
    Ok(())
}

#[tokio::test]
async fn names_that_mean_three_things_are_kept() -> Outcome {
    let (_running, mut client) = john().await?;
    let open = client.get("/parabank/openaccount.htm").await?;
    assert!(open.has("<a href=\"openaccount.htm\">Open New Account</a>"));
    assert!(open.has("<h1 class=\"title\">Open New Account</h1>"));
    assert!(open.has("<input type=\"button\" class=\"button\" value=\"Open New Account\"/>"));
    let find = client.get("/parabank/findtrans.htm").await?;
    assert!(find.has("<a href=\"findtrans.htm\">Find Transactions</a>"));
    assert!(find.has("<h1 class=\"title\">Find Transactions</h1>"));
    assert_eq!(find.times(">Find Transactions</button>"), 4);
    assert_eq!(find.times("<button type=\"submit\" class=\"button\""), 4);
    Ok(())
}

#[tokio::test]
async fn accounts_overview_is_a_link_on_every_page_and_a_heading_on_one() -> Outcome {
    let (_running, mut client) = john().await?;
    for page in ["overview.htm", "transfer.htm", "activity.htm?id=12345", "about.htm"] {
        let answer = client.get(&format!("/parabank/{page}")).await?;
        assert_eq!(answer.times("<a href=\"overview.htm\">Accounts Overview</a>"), 1, "{page}");
        let headings = usize::from(page == "overview.htm");
        assert_eq!(answer.times("<h1 class=\"title\">Accounts Overview</h1>"), headings, "{page}");
    }
    Ok(())
}

#[tokio::test]
async fn the_shell_has_its_links_twice_and_one_without_a_name() -> Outcome {
    let (_running, mut client) = john().await?;
    let page = client.get("/parabank/overview.htm").await?;
    for link in ["About Us", "Services", "Products", "Locations"] {
        assert_eq!(page.times(&format!(">{link}</a>")), 2, "{link}");
    }
    let nameless = between(&page.body, "<div id=\"topPanel\">", "</a>");
    assert!(nameless.contains("<img src=\"images/clear.gif\" class=\"admin\"/>"));
    assert!(!nameless.contains("alt"));
    let navigation = between(&page.body, "<h2>Account Services</h2>", "</ul>");
    let names: Vec<_> = navigation
        .split("</a>")
        .filter_map(|part| part.rsplit_once('>'))
        .map(|(_, name)| name)
        .filter(|name| !name.trim().is_empty())
        .collect();
    assert_eq!(
        names,
        [
            "Open New Account",
            "Accounts Overview",
            "Transfer Funds",
            "Bill Pay",
            "Find Transactions",
            "Update Contact Info",
            "Request Loan",
            "Log Out",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn an_unknown_page_is_the_error_view_with_status_404() -> Outcome {
    let (_running, mut client) = bank().await?;
    let answer = client.get("/parabank/nothing.htm").await?;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.title(), "ParaBank | Error");
    assert!(answer.has("The requested page /parabank/nothing.htm was not found on the server."));
    Ok(())
}

#[tokio::test]
async fn every_file_that_a_page_refers_to_is_served() -> Outcome {
    let (_running, mut client) = john().await?;
    for (file, kind) in [
        ("bank.css", "text/css; charset=utf-8"),
        ("bank.js", "text/javascript; charset=utf-8"),
        ("images/logo.svg", "image/svg+xml"),
        ("images/favicon.svg", "image/svg+xml"),
        ("images/clear.gif", "image/gif"),
    ] {
        let answer = client.get(&format!("/parabank/{file}")).await?;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)), "{file}");
    }
    Ok(())
}

#[tokio::test]
async fn every_link_of_every_page_leads_somewhere() -> Outcome {
    let (_running, mut client) = john().await?;
    for page in ["overview.htm", "sitemap.htm", "index.htm", "about.htm"] {
        let answer = client.get(&format!("/parabank/{page}")).await?;
        let hrefs = answer.body.split("<a href=\"").skip(1).filter_map(|p| p.split('"').next());
        for href in hrefs.filter(|href| *href != "logout.htm") {
            let target = client.get(&format!("/parabank/{href}")).await?;
            assert_eq!(target.status, 200, "{page} -> {href}");
        }
    }
    Ok(())
}
